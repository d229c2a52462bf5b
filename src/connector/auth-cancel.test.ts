import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConnectorRig } from '../../test/support/connector-rig.js';
import type { FakeLink } from '../../test/support/fake-link.js';
import { settle } from '../../test/support/manual-clock.js';

describe('auth.cancel (sections 8.11 and 8.12)', () => {
  let rig: ConnectorRig;
  let link: FakeLink;
  let channelId: string;
  beforeEach(async () => {
    rig = await ConnectorRig.start();
    link = rig.agent();
    channelId = await rig.newChannel(link);
  });
  afterEach(() => rig.stop());

  async function startWithQr(): Promise<string> {
    const answer = rig.connector.authStart(link, channelId, {});
    (await rig.nextSignIn()).showQr('https://scan.example/1');
    return (await answer).auth_session_id ?? '';
  }

  const canceled = { status: 'canceled', auth_status: 'unauthenticated', message: 'Authentication canceled' };

  it('ends an unfinished session, whose late yes is dropped', async () => {
    const session = await startWithQr();
    const ack = await rig.connector.authCancel(link, channelId, { auth_session_id: session });
    expect(ack).toEqual({ connector_channel_id: channelId, auth_session_id: session, ...canceled });
    expect(rig.target.signIn.aborted).toBe(true);
    rig.target.signIn.succeed({ identity: 'late' });
    await settle();
    expect(rig.rows('account')).toEqual([]);
    expect(rig.secrets.calls).toEqual([]);
    expect((await rig.connector.authStatus(link, channelId, { auth_session_id: session })).status).toBe(
      'unauthenticated',
    );
  });

  it('is repeatable', async () => {
    const session = await startWithQr();
    await rig.connector.authCancel(link, channelId, { auth_session_id: session });
    expect(await rig.connector.authCancel(link, channelId, { auth_session_id: session })).toMatchObject(canceled);
  });

  it('ends a sign-in that was asked for in the same breath', async () => {
    const started = rig.connector.authStart(link, channelId, {});
    const ack = await rig.connector.authCancel(link, channelId, {});
    expect(ack).toMatchObject(canceled);
    expect((await started).status).toBe('failed');
    await settle();
    expect(rig.target.signIns).toEqual([]);
    expect(rig.connector.descriptor(link, channelId).connection.status).toBe('created');
  });

  it('keeps an account that waits unclaimed from being taken by a sign-in that was asked for in the same breath', async () => {
    const accountId = await rig.unclaimed();
    const started = rig.connector.authStart(link, channelId, {});
    expect(await rig.connector.authCancel(link, channelId, {})).toMatchObject(canceled);
    expect((await started).status).toBe('failed');
    expect(rig.rows('account')).toMatchObject([{ account_id: accountId, claimed: 0 }]);
    expect(rig.rows('channel')).toEqual([]);
  });

  it('wins over a yes that is not stored yet', async () => {
    const session = await startWithQr();
    const release = rig.secrets.hold();
    rig.target.signIn.succeed({ identity: 'alice' });
    await settle();
    expect(await rig.connector.authCancel(link, channelId, { auth_session_id: session })).toMatchObject(canceled);
    release();
    await settle();
    expect(rig.rows('account')).toEqual([]);
    expect(rig.secrets.entries.size).toBe(0);
  });

  it('answers not_found for a foreign or unknown session (R20)', async () => {
    const session = await startWithQr();
    const other = await rig.newChannel(link);
    const ack = await rig.connector.authCancel(link, other, { auth_session_id: session });
    expect(ack).toMatchObject({ status: 'not_found', auth_session_id: session, auth_status: 'unauthenticated' });
    expect(rig.target.signIn.aborted).toBe(false);
    expect((await rig.connector.authCancel(link, channelId, { auth_session_id: 'auth_x' })).status).toBe('not_found');
  });

  it('answers ignored with the descriptor once the session is completed (R20)', async () => {
    const session = await startWithQr();
    rig.target.signIn.succeed({ identity: 'alice' });
    await settle();
    const ack = await rig.connector.authCancel(link, channelId, { auth_session_id: session });
    expect(ack).toMatchObject({ status: 'ignored', auth_status: 'authenticated' });
    expect(ack.connection_descriptor?.connection.status).toBe('connected');
  });

  it('answers ignored for a session that a newer one took the place of, which goes on (R20)', async () => {
    const older = await startWithQr();
    const newer = await startWithQr();
    const ack = await rig.connector.authCancel(link, channelId, { auth_session_id: older });
    expect(ack).toMatchObject({ status: 'ignored', auth_session_id: older, auth_status: 'unauthenticated' });
    expect((await rig.connector.authStatus(link, channelId, { auth_session_id: newer })).status).toBe('pending');
  });

  it.each(['closing', 'signing out of'] as const)('is what %s the channel in the same breath is, too', async (how) => {
    const started = rig.connector.authStart(link, channelId, {}).catch(() => undefined);
    if (how === 'closing') await rig.connector.closeChannel(link, channelId);
    else await rig.connector.authLogout(link, channelId);
    await started;
    await settle();
    expect(rig.target.signIns).toEqual([]);
  });

  it('of a new sign-in keeps the one the channel has', async () => {
    await rig.signInOn(link, channelId);
    rig.target.session().report({ status: 'expired', code: 'token_expired', since: 1 });
    await startWithQr();
    await rig.connector.authCancel(link, channelId, {});
    expect(rig.rows('account')).toHaveLength(1);
  });
});
