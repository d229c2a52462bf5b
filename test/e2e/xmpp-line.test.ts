import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.js';
import { createXmppTarget } from '../../src/targets/xmpp/index.js';
import { CutProxy } from '../support/cut-proxy.js';
import { eventually, within } from '../support/deadline.js';
import { ManualClock } from '../support/manual-clock.js';
import { Prosody } from '../support/prosody.js';
import { TargetRig } from '../support/target-rig.js';
import { XmppPerson } from '../support/xmpp-person.js';

const FLOW = 'xmpp_account_login';
const PASSWORD = 'secret';
const never = new AbortController().signal;
const say = (text: string) => ({ kind: 'text', text }) as const;

let prosody: Prosody;
let agentJid: string;
let personJid: string;

beforeAll(async () => {
  prosody = await Prosody.start();
  agentJid = await prosody.account('agent', PASSWORD);
  personJid = await prosody.account('ada', PASSWORD);
});

afterAll(() => prosody.stop());

describe('a line that goes silent', () => {
  it('is not called connected any more within 150 seconds, comes back, and a quiet one is left alone', async () => {
    const clock = new ManualClock();
    const wire = await CutProxy.start(prosody.port);
    const rig = new TargetRig(createXmppTarget({ service: `xmpp://127.0.0.1:${String(wire.port)}` }), clock);
    const attempt = rig.signIn(FLOW, { jid: agentJid, password: PASSWORD, peer_jid: personJid });
    const account = rig.open('acc_silent', await attempt.done);
    await eventually(() => account.state() === 'connected', 'to be connected');
    // In small steps, so that the real server gets its turn between them.
    const pass = async (ms: number, stepMs: number, until: () => boolean = () => false): Promise<void> => {
      for (let passed = 0; passed < ms && !until(); passed += stepMs) {
        await clock.advance(stepMs);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };
    await pass(10_000, 200);
    const quietSince = account.states.length;
    await pass(15 * 60_000, 2_000);
    expect(clock.now() - (account.session.lastRoundTripAt ?? 0)).toBeLessThan(60_000);
    expect(account.states.slice(quietSince).filter(({ status }) => status !== 'connected')).toEqual([]);
    expect(wire.connections).toBe(1);

    wire.freeze();
    const frozenAt = clock.now();
    await pass(300_000, 2_000, () => account.state() !== 'connected');
    expect(clock.now() - frozenAt).toBeLessThanOrEqual(150_000);
    await pass(120_000, 200, () => account.state() === 'connected');
    expect(account.state()).toBe('connected');
    await rig.close();
    await wire.stop();
  });
});

describe('a resource that another program takes', () => {
  it('is not fought for: a minute passes before it is taken back', async () => {
    const clock = new ManualClock();
    const target = createXmppTarget({ service: prosody.service });
    const rigs = [new TargetRig(target, clock), new TargetRig(target, systemClock)] as const;
    const { done } = rigs[0].signIn(FLOW, { jid: agentJid, password: PASSWORD, peer_jid: personJid });
    const signedIn = await done;
    // A copy of the data directory on another machine: the same account, and so the same resource.
    const account = rigs[0].open('acc_twice', signedIn);
    await eventually(() => account.state() === 'connected', 'to be connected');
    const other = rigs[1].open('acc_twice', signedIn);
    await eventually(() => account.state() === 'offline:used_elsewhere', 'to be thrown out');
    await eventually(() => other.state() === 'connected', 'the other one to be connected');
    await clock.advance(59_000);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(account.state()).toBe('offline:used_elsewhere');
    await rigs[1].close();
    await clock.advance(61_000);
    await eventually(() => account.state() === 'connected', 'to be connected again');
    await rigs[0].close();
  });
});

describe('a server that goes silent before it is ready', () => {
  it('holds up nobody who stops', async () => {
    const wire = await CutProxy.start(prosody.port);
    const rig = new TargetRig(
      createXmppTarget({ service: `xmpp://127.0.0.1:${String(wire.port)}` }),
      new ManualClock(),
    );
    const { done } = rig.signIn(FLOW, { jid: agentJid, password: PASSWORD, peer_jid: personJid });
    const signedIn = await done;
    wire.muteOn = 'disco#info';
    rig.open('acc_half', signedIn);
    await eventually(() => wire.muteServer, 'its first question');
    await within(rig.close(), 'the target to stop', 3_000);
    await wire.stop();
  });
});

describe('a server without TLS', () => {
  it('gets no password where DNS named it, though it is this machine', async () => {
    const resolveSrv = async (name: string) => {
      if (name !== '_xmpp-client._tcp.chat.test') throw new Error('ENOTFOUND');
      return [{ name: '127.0.0.1', port: prosody.port, priority: 0, weight: 0 }];
    };
    const rig = new TargetRig(createXmppTarget({ service: null, resolveSrv }), systemClock);
    const attempt = rig.signIn(FLOW, { jid: agentJid, password: PASSWORD, peer_jid: personJid });
    await expect(attempt.done).rejects.toMatchObject({ code: 'xmpp_tls_required' });
    await rig.close();
  });
});

describe('a server without extras', () => {
  it('is spoken to without archive, acknowledgments and upload; files are refused clearly', async () => {
    const bare = await Prosody.start({ archive: false, acks: false, upload: false });
    const jid = await bare.account('agent', 'secret');
    const peer = await bare.account('ada', 'secret');
    const rig = new TargetRig(createXmppTarget({ service: bare.service }), systemClock);
    const account = rig.open('acc_bare', await rig.signIn(FLOW, { jid, password: 'secret', peer_jid: peer }).done);
    await eventually(() => account.state() === 'connected', 'to be connected');
    const person = await XmppPerson.login(bare.port, peer, 'secret', jid);
    await person.says('hello');
    await eventually(() => rig.intake.received.length === 1, 'the message');
    await account.session.send(say('hello back'), 'k', never);
    await eventually(() => person.texts.includes('hello back'), 'the answer');
    expect(account.session.idempotentSends).toBe(false);
    const file = { fileRef: 'f', cardId: 'c', channelId: 'c', accountId: 'a', sha256: '', createdAt: 0, expiresAt: 1 };
    const part = { ...file, fileType: 'file', filename: 'x', mimeType: 'text/plain', byteSize: 1, path: '/x' } as const;
    await expect(account.session.send({ kind: 'file', file: part }, 'f', never)).rejects.toMatchObject({
      code: 'upload_unsupported',
    });
    await rig.close();
    await person.leave();
    await bare.stop();
  });
});
