import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startAgentServer } from '../../test/simulators/agent-server/index.js';
import { ACCOUNT, AgentServerRig } from '../../test/support/agent-server-rig.js';
import { quietLog } from '../../test/support/quiet-log.js';
import type { OfferedMessage } from '../delivery/delivery.js';
import { TargetRefusal } from '../base/errors.js';
import { FileStoreError } from '../files/file-store.js';
import { MAX_FILES, openInside } from './answer-files.js';
import { InboundFiles } from './inbound-files.js';
import { answerChannelOf } from './index.js';
import { ANSWER_TTL_MS } from './outbox.js';

let folder: string;
let root: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'answer-files-'));
  root = join(folder, 'root');
  mkdirSync(join(root, 'sub'), { recursive: true });
  writeFileSync(join(root, 'sub', 'report.txt'), 'the report');
  writeFileSync(join(folder, 'secret.txt'), 'the secret');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('a file named by path is read', () => {
  async function read(path: string): Promise<string | undefined> {
    const file = await openInside(root, path);
    if (!file) return undefined;
    try {
      return await file.readFile('utf8');
    } finally {
      await file.close();
    }
  }

  it('below the root, by its whole path or the one from there', async () => {
    expect(await read(join(root, 'sub', 'report.txt'))).toBe('the report');
    expect(await read('sub/report.txt')).toBe('the report');
    symlinkSync(join(root, 'sub'), join(root, 'inside'));
    expect(await read('inside/report.txt')).toBe('the report');
  });

  it.each([
    ['beside the root', () => join(folder, 'secret.txt')],
    ['by a way out of it', () => join(root, 'sub', '..', '..', 'secret.txt')],
    ['by a relative way out of it', () => '../secret.txt'],
    ['beside a root of the same beginning', () => `${root}-other/x`],
    ['that is the root itself', () => root],
    ['that is a folder', () => join(root, 'sub')],
    ['that is not there', () => join(root, 'nothing')],
    ['with a null byte', () => `sub/report.txt\0.png`],
  ])('not %s', async (_, path) => {
    expect(await read(path())).toBeUndefined();
  });

  it('not through a link that leads out, whether it is the file or a folder on the way', async () => {
    symlinkSync(join(folder, 'secret.txt'), join(root, 'link.txt'));
    symlinkSync(folder, join(root, 'up'));
    expect(await read('link.txt')).toBeUndefined();
    expect(await read('up/secret.txt')).toBeUndefined();
  });

  it('not from a pipe, which would never end', async () => {
    execFileSync('mkfifo', [join(root, 'pipe')]);
    expect(await read('pipe')).toBeUndefined();
  });

  it('from a root that is itself behind a link', async () => {
    symlinkSync(root, join(folder, 'alias'));
    const file = await openInside(join(folder, 'alias'), 'sub/report.txt');
    await file?.close();
    expect(file).toBeDefined();
  });
});

describe('files of an answer', () => {
  let rig: AgentServerRig;
  afterEach(() => rig.stop());

  async function answerWith(file: object, options: Parameters<typeof AgentServerRig.start>[0] = {}): Promise<void> {
    rig = await AgentServerRig.start(options);
    await rig.connect();
    rig.server.onChat = (turn) => {
      turn.event('chat.file', { files: [file] });
      turn.answer('here it is');
    };
    rig.server.downloads.set('T', Buffer.from('downloaded'));
    await rig.says('send it');
    await rig.until(() => rig.texts.length > 0, 'the answer');
    await rig.until(() => rig.agentServer.facts().waitingAnswers === 0, 'delivered');
  }

  const stored = () => [...rig.world.files.files.values()];

  it('come with it, read from the one folder that is allowed', async () => {
    await answerWith(
      { path: join(root, 'sub', 'report.txt'), name: 'Report.txt', mime_type: 'text/plain' },
      { filesRoot: root },
    );
    expect(rig.texts).toEqual(['here it is', 'Report.txt']);
    const channelId = answerChannelOf(ACCOUNT.accountId);
    expect(stored()).toMatchObject([{ filename: 'Report.txt', byteSize: 10, channelId, accountId: ACCOUNT.accountId }]);
  });

  it('are kept as long as it may wait to be sent, though their own time is shorter', async () => {
    await answerWith({ path: join(root, 'sub', 'report.txt'), name: 'Report.txt' }, { filesRoot: root });
    const until = rig.world.files.kept.get(stored()[0]?.fileRef ?? '') ?? 0;
    expect(until - rig.world.clock.steady()).toBe(ANSWER_TTL_MS);
  });

  it('are fetched by token from the server that is configured, whatever address the answer names', async () => {
    await answerWith({
      path: '/tmp/x.pdf',
      name: 'x.pdf',
      download_url: 'http://192.0.2.1/steal?token=T',
      download_token: 'T',
    });
    expect(rig.texts).toEqual(['here it is', 'x.pdf']);
    expect(stored()).toMatchObject([{ byteSize: 10 }]);
  });

  it('are fetched below the path that is configured', async () => {
    const server = await startAgentServer();
    rig = await AgentServerRig.start({ filesUrl: `${server.filesUrl}/swarm/` }, server);
    await rig.connect();
    rig.server.onChat = (turn) => turn.end({ files: [{ name: 'x.txt', download_token: 'T' }] });
    rig.server.downloads.set('T', Buffer.from('downloaded'));
    await rig.says('send it');
    await rig.untilText('x.txt');
    expect(rig.server.downloadPaths).toEqual(['/swarm/file-api/download']);
  });

  it('are fetched by token when their path is not below the root', async () => {
    const file = { path: join(folder, 'secret.txt'), name: 'x.txt', download_token: 'T' };
    await answerWith(file, { filesRoot: root });
    expect(rig.texts).toEqual(['here it is', 'x.txt']);
    expect(stored()).toMatchObject([{ byteSize: 'downloaded'.length }]);
  });

  it.each([
    ['a path and no root', {}, () => ({ path: join(root, 'sub', 'report.txt') })],
    ['a path outside the root', { filesRoot: 'root' }, () => ({ path: join(folder, 'secret.txt') })],
    ['a token that is too old', {}, () => ({ path: '/x/gone.txt', download_token: 'OLD' })],
  ])('are only named for %s', async (_, options, file) => {
    const { filesRoot } = options as { filesRoot?: string };
    await answerWith({ name: 'a "b".txt', ...file() }, filesRoot === undefined ? {} : { filesRoot: root });
    expect(rig.texts).toEqual(['here it is\n\n[file "a b .txt" could not be fetched]']);
    expect(stored()).toEqual([]);
  });

  it('are taken up to a number, however many events bring them', async () => {
    rig = await AgentServerRig.start();
    await rig.connect();
    rig.server.onChat = (turn) => {
      const files = Array.from({ length: MAX_FILES - 1 }, () => ({ name: 'x.txt' }));
      for (let events = 0; events < 3; events += 1) turn.event('chat.file', { files });
      turn.answer('here they are');
    };
    await rig.says('send all of it');
    await rig.until(() => rig.texts.length > 0, 'the answer');
    expect(rig.texts[0]?.match(/could not be fetched/g)).toHaveLength(MAX_FILES);
  });

  it('are only named when they are larger than files may be', async () => {
    rig = await AgentServerRig.start({ filesRoot: root });
    rig.world.files.put = () => Promise.reject(new FileStoreError('too_large', 'too large'));
    await rig.connect();
    rig.server.onChat = (turn) => {
      turn.event('chat.file', { files: [{ path: 'sub/report.txt', name: 'r.txt' }] });
      turn.answer('here');
    };
    await rig.says('send it');
    await rig.untilText('here\n\n[file "r.txt" could not be fetched]');
  });

  it('that the network refuses cost the answer nothing but themselves, and their person hears of it', async () => {
    rig = await AgentServerRig.start({ filesRoot: root });
    await rig.connect();
    const plan = rig.network.plan.bind(rig.network);
    rig.network.plan = (answer) => {
      if (answer.files.length > 0) throw new TargetRefusal('file_too_large', 'up to 50 MB', { retryable: false });
      return plan(answer);
    };
    rig.server.onChat = (turn) => turn.end({ content: 'done', files: [{ path: 'sub/report.txt', name: 'r.txt' }] });
    await rig.says('make a report');
    await rig.untilText('[file "r.txt" could not be sent]');
    expect(rig.texts).toEqual(['done', '[file "r.txt" could not be sent]']);
    await rig.until(() => rig.agentServer.facts().waitingAnswers === 0, 'nothing waits');
  });

  it('that are pushed beside a request come with its answer; later ones come alone', async () => {
    rig = await AgentServerRig.start({ filesRoot: root });
    await rig.connect();
    const push = { event_type: 'chat.file', files: [{ path: 'sub/report.txt', name: 'r.txt' }] };
    rig.server.onChat = (turn) => {
      turn.push(push);
      turn.answer('with a file');
      turn.push(push);
    };
    await rig.says('send it');
    await rig.until(() => rig.texts.length === 3, 'both');
    expect([...rig.texts].sort()).toEqual(['r.txt', 'r.txt', 'with a file']);
  });
});

describe('files of a person', () => {
  let rig: AgentServerRig;
  afterEach(() => rig.stop());

  async function send(options: Parameters<typeof AgentServerRig.start>[0] = {}): Promise<Record<string, unknown>> {
    rig = await AgentServerRig.start(options);
    await rig.connect();
    const original = join(folder, 'blob');
    writeFileSync(original, 'a picture');
    chmodSync(original, 0o600);
    const { files } = rig.world;
    files.put = async (source, content) => {
      const bytes = Buffer.concat((await Readable.from(content).toArray()) as Buffer[]);
      const file = { ...files.take(bytes, source), path: original };
      files.files.set(file.fileRef, file);
      return file;
    };
    rig.network.fetch = () => Promise.resolve(Readable.from([Buffer.from('a picture')]));
    await rig.says('look', { attachments: [{ fileType: 'image', filename: 'cat.png', locator: 1 }] });
    await rig.untilAsked(1);
    return rig.server.of('chat.send')[0]?.['params'] as Record<string, unknown>;
  }

  it('are copied to where the agent can read them, under their own name, for it alone', async () => {
    const params = await send();
    expect(params).toMatchObject({
      query: 'look',
      files: [{ name: 'cat.png', size: 9, mime_type: 'application/octet-stream', file_category: 'image' }],
    });
    const [{ path } = { path: '' }] = params['files'] as { path: string }[];
    expect(path.startsWith(rig.dataDir)).toBe(true);
    expect(readFileSync(path, 'utf8')).toBe('a picture');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(path)).mode & 0o077).toBe(0);
    await rig.agentServer.forget(ACCOUNT.accountId);
    expect(() => readFileSync(path)).toThrow();
  });

  it('are not left behind by a copy that a sign-out overtakes', async () => {
    rig = await AgentServerRig.start();
    const { files, clock } = rig.world;
    const original = join(folder, 'blob');
    writeFileSync(original, 'a picture');
    files.add({ fileRef: 'file_1', cardId: ACCOUNT.cardId, path: original, filename: 'cat.png' });
    const { dataDir } = rig;
    const inbound = new InboundFiles({ files, dataDir, clock, log: quietLog, ttlMs: 1, isLocal: true });
    const item = { type: 'image', file_ref: 'file_1', filename: 'cat.png', byte_size: 9, mime_type: 'image/png' };
    const offer = { accountId: ACCOUNT.accountId, files: [item] } as unknown as OfferedMessage;
    const [{ given, missing }] = await Promise.all([inbound.handOver(offer), inbound.forget(ACCOUNT.accountId)]);
    expect({ given, missing }).toEqual({ given: [], missing: ['cat.png'] });
    expect(existsSync(join(dataDir, 'agent-files', ACCOUNT.accountId))).toBe(false);
  });

  it('are only named to a server on another machine, to which paths mean nothing', async () => {
    const params = await send({ isLocal: false });
    expect(params).toMatchObject({ query: 'look\n[file "cat.png" could not be handed over]' });
    expect(params).not.toHaveProperty('files');
  });
});
