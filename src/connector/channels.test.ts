import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConnectorRig, SESSION_TTL_MS } from '../../test/support/connector-rig.js';
import { FakeUpstream, type FakeLink } from '../../test/support/fake-link.js';
import { settle } from '../../test/support/manual-clock.js';
import { MAX_TEMPORARY_CHANNELS } from './channels.js';

describe('channels (sections 8.3 to 8.6)', () => {
  let rig: ConnectorRig;
  let link: FakeLink;
  beforeEach(async () => {
    rig = await ConnectorRig.start();
    link = rig.agent();
  });
  afterEach(() => rig.stop());

  /** Where an account's messages go now. */
  function routeOf(accountId: string): FakeLink | undefined {
    const upstream = rig.delivery.routes.get(accountId);
    return upstream instanceof FakeUpstream ? upstream.link : undefined;
  }

  describe('opening', () => {
    it('gives a first open a new channel that is created, and needs no account', async () => {
      const { connector_channel_id, connection_descriptor } = await rig.connector.openChannel(link, '');
      expect(connector_channel_id).toMatch(/^cch_[\w-]{22}$/);
      expect(connection_descriptor.connection).toEqual({
        connector_card_id: 'im.fake',
        connector_id: rig.connector.connectorId,
        connector_channel_id,
        target_type: 'im',
        profiles: ['xagent.im.v2'],
        status: 'created',
      });
      expect(connection_descriptor.target).toEqual({ provider: 'fake', label: 'Fake', display_name: 'Fake not bound' });
    });

    it('assigns a new id to one it does not know, and never adopts it (R14)', async () => {
      const { connector_channel_id } = await rig.connector.openChannel(link, 'cch_guessed');
      expect(connector_channel_id).not.toBe('cch_guessed');
      expect(rig.connector.signedInOn('cch_guessed')).toBe('unknown');
    });

    it('reuses a known channel after a restart, with its account', async () => {
      const { channelId, accountId } = await rig.signedIn(link);
      await rig.restart();
      const again = rig.agent();
      const ack = await rig.connector.openChannel(again, channelId);
      expect(ack.connector_channel_id).toBe(channelId);
      await settle();
      expect(routeOf(accountId)).toBe(again);
    });

    it('takes a burst of concurrent opens, each its own channel', async () => {
      const acks = await Promise.all(Array.from({ length: 20 }, () => rig.connector.openChannel(link, '')));
      expect(new Set(acks.map((ack) => ack.connector_channel_id)).size).toBe(20);
    });

    it('gives one data plane so many channels without an account, and another its own', async () => {
      const channels = await Promise.all(
        Array.from({ length: MAX_TEMPORARY_CHANNELS }, () => rig.connector.openChannel(link, '')),
      );
      const tooMany = { name: 'AckError', code: 'connector_channel_unavailable' };
      await expect(rig.connector.openChannel(link, '')).rejects.toMatchObject(tooMany);
      await rig.connector.openChannel(rig.agent(), '');
      const [first] = channels;
      await rig.connector.openChannel(link, first?.connector_channel_id ?? '');
      await rig.connector.closeChannel(link, first?.connector_channel_id ?? '');
      await rig.connector.openChannel(link, '');
    });

    it('does not store a channel that has no account yet', async () => {
      await rig.newChannel(link);
      await settle();
      expect(rig.rows('channel')).toEqual([]);
    });
  });

  describe('temporary channels (section 8.3)', () => {
    it('are forgotten when they are closed', async () => {
      const channelId = await rig.newChannel(link);
      await rig.connector.closeChannel(link, channelId);
      expect(rig.connector.signedInOn(channelId)).toBe('unknown');
    });

    it('are forgotten when the last data plane that opened them is gone, and not before', async () => {
      const channelId = await rig.newChannel(link);
      const other = rig.agent();
      await rig.connector.openChannel(other, channelId);
      rig.connector.disconnected(other);
      expect(rig.connector.openRoute(link, channelId).channelId).toBe(channelId);
      rig.connector.disconnected(link);
      expect(rig.connector.channels()).toEqual([]);
    });

    it('take their unfinished sign-in with them when they are closed', async () => {
      const channelId = await rig.newChannel(link);
      void rig.connector.authStart(link, channelId, {});
      const signIn = await rig.nextSignIn();
      await rig.connector.closeChannel(link, channelId);
      expect(signIn.aborted).toBe(true);
      signIn.succeed();
      await settle();
      expect(rig.rows('account')).toEqual([]);
      expect(rig.secrets.entries.size).toBe(0);
    });

    it('wait for an agent that was cut off in the middle of a sign-in (section 8.2)', async () => {
      const channelId = await rig.newChannel(link);
      const started = rig.connector.authStart(link, channelId, {});
      const signIn = await rig.nextSignIn();
      signIn.showQr('https://scan.example/1');
      const auth_session_id = (await started).auth_session_id ?? '';
      rig.connector.disconnected(link);
      const back = rig.agent();
      expect((await rig.connector.openChannel(back, channelId)).connector_channel_id).toBe(channelId);
      expect(await rig.connector.authStatus(back, channelId, { auth_session_id })).toMatchObject({
        status: 'pending',
        qr_code_text: 'https://scan.example/1',
      });
      signIn.succeed();
      await settle();
      expect((await rig.connector.authStatus(back, channelId, { auth_session_id })).status).toBe('authenticated');
    });

    it('keep what a person signed in to while the agent was away', async () => {
      const channelId = await rig.newChannel(link);
      void rig.connector.authStart(link, channelId, {});
      const signIn = await rig.nextSignIn();
      rig.connector.disconnected(link);
      signIn.succeed();
      await settle();
      const { connection_descriptor } = await rig.connector.openChannel(rig.agent(), channelId);
      expect(connection_descriptor.connection).toMatchObject({
        connector_channel_id: channelId,
        status: 'connected',
      });
    });

    it('are forgotten once the sign-in that they waited with came to nothing', async () => {
      const channelId = await rig.newChannel(link);
      void rig.connector.authStart(link, channelId, {});
      const signIn = await rig.nextSignIn();
      rig.connector.disconnected(link);
      expect(rig.connector.channels()).toMatchObject([{ channelId, open: false }]);
      await rig.clock.advance(SESSION_TTL_MS);
      expect(signIn.aborted).toBe(true);
      expect(rig.connector.channels()).toEqual([]);
    });

    it('and that wait are bounded too: what is too many ends with its data plane', async () => {
      for (let agent = 0; agent < 2; agent += 1) {
        const cut = rig.agent();
        for (let i = 0; i < MAX_TEMPORARY_CHANNELS; i += 1) {
          void rig.connector.authStart(cut, await rig.newChannel(cut), {});
        }
        await settle();
        rig.connector.disconnected(cut);
      }
      expect(rig.connector.channels()).toHaveLength(MAX_TEMPORARY_CHANNELS);
      expect(rig.target.signIns.filter(({ aborted }) => !aborted)).toHaveLength(MAX_TEMPORARY_CHANNELS);
    });

    it('stay while a sign-in on them is canceled, so that the next can begin', async () => {
      const channelId = await rig.newChannel(link);
      void rig.connector.authStart(link, channelId, {});
      await settle();
      await rig.connector.authCancel(link, channelId, {});
      expect(rig.connector.openRoute(link, channelId).accountId).toBeUndefined();
    });
  });

  describe('closing', () => {
    it('is idempotent, for unknown channels too (R15)', async () => {
      expect(await rig.connector.closeChannel(link, 'cch_unknown')).toEqual({ status: 'ok' });
      const { channelId } = await rig.signedIn(link);
      expect(await rig.connector.closeChannel(link, channelId)).toEqual({ status: 'ok' });
      expect(await rig.connector.closeChannel(link, channelId)).toEqual({ status: 'ok' });
    });

    it('takes the route away and keeps the sign-in (R44)', async () => {
      const { channelId, accountId } = await rig.signedIn(link);
      await rig.connector.closeChannel(link, channelId);
      expect(routeOf(accountId)).toBeUndefined();
      expect(rig.target.session(accountId).closed).toBe(false);
      expect(rig.secrets.entries.has(`account/${accountId}`)).toBe(true);
      const ack = await rig.connector.openChannel(link, channelId);
      expect(ack.connection_descriptor.connection.status).toBe('connected');
    });

    it('ends an unfinished sign-in of the channel, which nobody could follow', async () => {
      const { channelId } = await rig.signedIn(link);
      rig.target.session().report({ status: 'expired', code: 'token_expired', since: 0 });
      void rig.connector.authStart(link, channelId, {});
      const signIn = await rig.nextSignIn();
      await rig.connector.closeChannel(link, channelId);
      expect(signIn.aborted).toBe(true);
    });
  });

  describe('the route of a channel (sections 8.3 to 8.5)', () => {
    it('begins only after the answer to channel.open, and after the descriptor that is owed', async () => {
      const { channelId, accountId } = await rig.signedIn(link);
      await rig.connector.closeChannel(link, channelId);
      await rig.connector.openChannel(link, channelId);
      expect(routeOf(accountId)).toBeUndefined();
      await settle();
      expect(routeOf(accountId)).toBe(link);
    });

    it('begins after the answer that signs the channel in and after the descriptor that says so', async () => {
      const accountId = await rig.unclaimed();
      const channelId = await rig.newChannel(link);
      await settle();
      const pushesBeforeRoute: string[][] = [];
      rig.delivery.onRoute = (_, upstream) => upstream && pushesBeforeRoute.push(link.pushedStates(channelId));
      const ack = await rig.connector.authStart(link, channelId, {});
      expect(ack.status).toBe('authenticated');
      expect(routeOf(accountId)).toBeUndefined();
      await settle();
      expect(routeOf(accountId)).toBe(link);
      expect(pushesBeforeRoute.map((states) => states.at(-1))).toEqual(['connected']);
    });

    it('is gone at once when the channel closes, also before it began', async () => {
      const { channelId, accountId } = await rig.signedIn(link);
      await rig.connector.closeChannel(link, channelId);
      expect(routeOf(accountId)).toBeUndefined();
      await rig.connector.openChannel(link, channelId);
      await rig.connector.closeChannel(link, channelId);
      await settle();
      expect(routeOf(accountId)).toBeUndefined();
    });

    it('leaves the former owner at once when another data plane opens the channel', async () => {
      const { channelId, accountId } = await rig.signedIn(link);
      await rig.connector.openChannel(rig.agent(), channelId);
      expect(routeOf(accountId)).toBeUndefined();
    });
  });

  describe('several data planes (R13)', () => {
    it('route to the one that opened the channel last', async () => {
      const { channelId, accountId } = await rig.signedIn(link);
      const second = rig.agent();
      await rig.connector.openChannel(second, channelId);
      await settle();
      expect(routeOf(accountId)).toBe(second);
    });

    it('lose only the routes they still own when they disconnect', async () => {
      const { channelId, accountId } = await rig.signedIn(link);
      const second = rig.agent();
      await rig.connector.openChannel(second, channelId);
      rig.connector.disconnected(link);
      await settle();
      expect(routeOf(accountId)).toBe(second);
    });

    it('fall back to one that still has the channel open', async () => {
      const { channelId, accountId } = await rig.signedIn(link);
      const second = rig.agent();
      await rig.connector.openChannel(second, channelId);
      rig.connector.disconnected(second);
      await settle();
      expect(routeOf(accountId)).toBe(link);
    });

    it('tell the one they fall back to what the channel has become meanwhile', async () => {
      const { channelId, accountId } = await rig.signedIn(link);
      const second = rig.agent();
      await rig.connector.openChannel(second, channelId);
      rig.target.session(accountId).report({ status: 'offline', code: 'network_unreachable', since: 1 });
      await settle();
      link.pushes.length = 0;
      rig.connector.disconnected(second);
      await settle();
      expect(link.pushedStates(channelId)).toEqual(['offline']);
    });

    it('leave the owner its route when another one closes the channel', async () => {
      const { channelId, accountId } = await rig.signedIn(link);
      const second = rig.agent();
      await rig.connector.openChannel(second, channelId);
      await rig.connector.closeChannel(link, channelId);
      await settle();
      expect(routeOf(accountId)).toBe(second);
      expect(() => rig.connector.openRoute(link, channelId)).toThrow(
        expect.objectContaining({ code: 'channel_not_open' }),
      );
    });

    it('close for all when the owner closes', async () => {
      const { channelId, accountId } = await rig.signedIn(link);
      const second = rig.agent();
      await rig.connector.openChannel(second, channelId);
      await rig.connector.closeChannel(second, channelId);
      await settle();
      expect(routeOf(accountId)).toBeUndefined();
    });

    it('are pushed to only as the owner', async () => {
      const { channelId, accountId } = await rig.signedIn(link);
      const second = rig.agent();
      await rig.connector.openChannel(second, channelId);
      await settle();
      link.pushes.length = 0;
      rig.target.session(accountId).report({ status: 'offline', code: 'network_unreachable', since: 1 });
      await settle();
      expect(second.pushedStates(channelId)).toEqual(['offline']);
      expect(link.pushes).toEqual([]);
    });
  });

  describe('packets for a channel (R16, R17)', () => {
    it('need a channel id', () => {
      for (const none of ['', undefined]) {
        expect(() => rig.connector.openRoute(link, none)).toThrow(
          expect.objectContaining({ name: 'ProtocolError', code: 'connector_channel_id_required' }),
        );
      }
    });

    it('are refused as connection_not_found for an unknown channel', () => {
      expect(() => rig.connector.openRoute(link, 'cch_unknown')).toThrow(
        expect.objectContaining({ name: 'ProtocolError', code: 'connection_not_found' }),
      );
    });

    it('are refused as channel_not_open for a known one, whatever the packet, without any effect', async () => {
      const { channelId } = await rig.signedIn(link);
      await rig.connector.closeChannel(link, channelId);
      const refused = { name: 'ProtocolError', code: 'channel_not_open' };
      await expect(rig.connector.authStart(link, channelId, {})).rejects.toMatchObject(refused);
      await expect(rig.connector.authStatus(link, channelId, {})).rejects.toMatchObject(refused);
      await expect(rig.connector.authCancel(link, channelId, {})).rejects.toMatchObject(refused);
      await expect(rig.connector.authLogout(link, channelId)).rejects.toMatchObject(refused);
      await expect(
        rig.connector.invokeTool(link, channelId, 'r1', { tool_id: 'fake_message_send', arguments: { text: 'hi' } }),
      ).rejects.toMatchObject(refused);
      expect(() => rig.connector.descriptor(link, channelId)).toThrow(expect.objectContaining(refused));
      expect(rig.target.signedOut).toEqual([]);
      expect(rig.delivery.requests).toEqual([]);
    });

    it('are refused on a data plane that has not opened the channel', async () => {
      const { channelId } = await rig.signedIn(link);
      expect(() => rig.connector.openRoute(rig.agent(), channelId)).toThrow(
        expect.objectContaining({ code: 'channel_not_open' }),
      );
    });
  });

  it('tells an upload whether a channel is unknown, not signed in, or whose it is (section 5.1, R34)', async () => {
    expect(rig.connector.signedInOn('cch_unknown')).toBe('unknown');
    const empty = await rig.newChannel(link);
    expect(rig.connector.signedInOn(empty)).toBe('unauthenticated');
    const { channelId, accountId } = await rig.signedIn(link);
    await rig.connector.closeChannel(link, channelId);
    expect(rig.connector.signedInOn(channelId)).toEqual({ accountId });
    rig.target.session().report({ status: 'revoked', code: 'token_revoked', since: 1 });
    expect(rig.connector.signedInOn(channelId)).toBe('unauthenticated');
  });
});
