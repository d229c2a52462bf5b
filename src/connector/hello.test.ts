import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConnectorRig } from '../../test/support/connector-rig.js';
import { FakeLink } from '../../test/support/fake-link.js';
import { settle } from '../../test/support/manual-clock.js';

describe('connector.hello (section 8.1)', () => {
  let rig: ConnectorRig;
  beforeEach(async () => {
    rig = await ConnectorRig.start();
  });
  afterEach(() => rig.stop());

  it('answers with the card id, the id held and our own version', () => {
    const ack = rig.connector.hello(new FakeLink(), rig.hello());
    expect(ack).toEqual({
      connector_card_id: 'im.fake',
      connector_id: rig.connector.connectorId,
      protocol_version: '3.0',
    });
    expect(rig.connector.connectorId).toMatch(/^conn_[\w-]{22}$/);
  });

  it('keeps its id over a restart and over a crash right after the first start', async () => {
    const id = rig.connector.connectorId;
    await rig.restart({ crash: true });
    expect(rig.connector.connectorId).toBe(id);
    await rig.restart();
    expect(rig.connector.connectorId).toBe(id);
  });

  it.each([
    ['no id', ''],
    ['null', null],
    ['an id it never gave', 'conn_of_someone_else'],
  ])('never rejects %s, and answers the id it holds, however often (R12)', (_case, connector_id) => {
    const first = rig.connector.hello(new FakeLink(), rig.hello({ connector_id }));
    const second = rig.connector.hello(new FakeLink(), rig.hello({ connector_id }));
    expect(first.connector_id).toBe(rig.connector.connectorId);
    expect(second.connector_id).toBe(first.connector_id);
  });

  it('rejects another card id', () => {
    expect(() => rig.connector.hello(new FakeLink(), rig.hello({ connector_card_id: 'im.wechat' }))).toThrow(
      expect.objectContaining({ name: 'ProtocolError', code: 'connector_card_id_mismatch' }),
    );
  });

  it.each([undefined, null, '', '2.9', '1.0', 'three', '3', 3])('rejects version %j (R10)', (protocol_version) => {
    expect(() => rig.connector.hello(new FakeLink(), rig.hello({ protocol_version }))).toThrow(
      expect.objectContaining({ code: 'protocol_version_unsupported' }),
    );
  });

  it.each(['3.0', '3.10', '4.4'])('accepts version %s and answers its own (R10)', (protocol_version) => {
    expect(rig.connector.hello(new FakeLink(), rig.hello({ protocol_version })).protocol_version).toBe('3.0');
  });

  it.each([[[]], [['xagent.im.v1']], [['xagent.device.v1']]])(
    'rejects profiles %j: no overlap with the card (R11)',
    (supported_profiles) => {
      const link = new FakeLink();
      expect(() => rig.connector.hello(link, rig.hello({ supported_profiles }))).toThrow(
        expect.objectContaining({ code: 'profile_not_supported' }),
      );
      expect(rig.connector.dataPlanes).toBe(0);
      expect(link.profiles).toEqual([]);
    },
  );

  it('enables on the link what card and hello have in common', () => {
    expect(rig.agent().profiles).toEqual(['xagent.im.v2']);
  });

  it('acknowledges a repeated hello alike, counts the link once and pushes its descriptors again (R9)', async () => {
    const link = rig.agent();
    const { channelId } = await rig.signedIn(link);
    await settle();
    link.pushes.length = 0;
    const ack = rig.connector.hello(link, rig.hello());
    await settle();
    expect(ack.connector_id).toBe(rig.connector.connectorId);
    expect(rig.connector.dataPlanes).toBe(1);
    expect(link.pushedStates(channelId)).toEqual(['connected']);
  });

  it('leaves an accepted link as it was when a later hello on it is wrong', () => {
    const link = rig.agent();
    expect(() => rig.connector.hello(link, rig.hello({ supported_profiles: [] }))).toThrow();
    expect(link.profiles).toEqual(['xagent.im.v2']);
    expect(rig.connector.dataPlanes).toBe(1);
  });

  it('counts data planes and forgets each once (R13)', () => {
    const first = rig.agent();
    const second = rig.agent();
    expect(rig.connector.dataPlanes).toBe(2);
    rig.connector.disconnected(first);
    rig.connector.disconnected(first);
    expect(rig.connector.dataPlanes).toBe(1);
    expect(rig.connector.leaseLeftMs).toBeUndefined();
    rig.connector.disconnected(second);
    expect(rig.connector.leaseLeftMs).toBeDefined();
  });

  it('opens no channel for a link without hello', async () => {
    await expect(rig.connector.openChannel(new FakeLink(), '')).rejects.toMatchObject({ code: 'hello_required' });
  });
});
