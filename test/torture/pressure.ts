import { readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { LocalRig } from '../support/local-rig.js';
import { id, SpecAgent } from '../support/spec-agent.js';
import { World } from '../support/world.js';
import { queueFigures } from './full-queues.js';
import { Findings, pause, type Outcome, type Scenario } from './scenario.js';

const STREAMS = 10_000;
/** Packets to a reader that never reads. */
const UNREAD_PINGS = 20_000;
const UPLOADS = 400;
const UPLOAD_BYTES = 1024 * 1024;
const SLOW_SOCKETS = 300;
const FLOODED_HEADERS = 20_000;
const JSON_DEPTH = 200_000;
const SHORT_SHARE = 0.1;
/** The host may grow by this much under everything at once, and not by more for more of it; bytes. */
const MEMORY_BOUND = 256 * 1024 * 1024;
/** The slowest answer to somebody who does no harm, on a busy machine; milliseconds. */
const PATIENCE_MS = 10_000;
/** Between two questions of somebody who does no harm; milliseconds. */
const ASK_EVERY_MS = 100;
const LOOK_EVERY_MS = 50;
const PAGE_BYTES = 4096;

/** Everything that eats memory or connections, while one conversation goes on. */
export const pressure: Scenario = {
  name: 'pressure',
  promise: 'memory bounded, and other channels unharmed',
  async run({ short, progress }): Promise<Outcome> {
    const findings = new Findings();
    const figures: Record<string, number | string> = {};
    const some = (count: number): number => Math.ceil(count * (short ? SHORT_SHARE : 1));
    const world = await World.start(new LocalRig());
    try {
      const { agent, channel } = await world.bound();
      const neighbour = new Neighbour(world, agent);
      const before = await memoryOf(world.host.pid);
      const memory = new Peak(world.host.pid);
      const attacks: [string, () => Promise<string | undefined>][] = [
        ['a reader that never reads', () => deafReader(world, some(UNREAD_PINGS))],
        ['streams never finished', () => endlessStreams(world, some(STREAMS))],
        ['an upload storm', () => uploadStorm(agent, channel, some(UPLOADS))],
        ['slow senders of headers', () => slowloris(world, some(SLOW_SOCKETS))],
        ['a flood of headers', () => headerFlood(world, some(FLOODED_HEADERS))],
        ['deep JSON', () => deepJson(world, some(JSON_DEPTH))],
      ];
      for (const [name, attack] of attacks) {
        const fault = await attack();
        findings.expect(fault === undefined, `${name}: ${fault ?? ''}`);
        figures[`${name}, grown to`] = megabytes(memory.value - before);
        progress(name);
      }
      const slowest = await neighbour.stop();
      memory.stop();
      findings.expect(memory.value - before < MEMORY_BOUND, `the host grew by ${megabytes(memory.value - before)}`);
      findings.expect(slowest < PATIENCE_MS, `an unconcerned agent waited ${Math.round(slowest)} ms`);
      findings.expect(world.host.alive, 'the host died');
      figures['the most memory beyond rest'] = megabytes(memory.value - before);
      figures['slowest answer to others'] = `${Math.round(slowest)} ms of ${neighbour.asked} questions`;
      await world.farewell();
    } finally {
      await world.end();
    }
    const full = await queueFigures(short);
    for (const fault of full.broken) findings.broken.push(fault);
    return {
      happened: 'a deaf reader, endless streams, upload and header floods, slow senders, deep JSON, full queues',
      figures: { ...figures, ...full.figures },
      broken: findings.broken,
    };
  },
};

/** Somebody on another socket, whose questions must go on being answered. */
class Neighbour {
  asked = 0;
  #slowest = 0;
  #over = false;
  readonly #life: Promise<void>;

  constructor(world: World, agent: SpecAgent) {
    this.#life = this.#live(world, agent);
  }

  /** @returns milliseconds of the slowest answer */
  async stop(): Promise<number> {
    this.#over = true;
    await this.#life;
    return this.#slowest;
  }

  async #live(world: World, agent: SpecAgent): Promise<void> {
    while (!this.#over) {
      const text = id('still here');
      const began = performance.now();
      await world.rig.personSays(text);
      const answer = agent.messages.next((message) => message.text === text, 'a message', { ms: 6 * PATIENCE_MS });
      await answer.catch(() => undefined);
      this.#slowest = Math.max(this.#slowest, performance.now() - began);
      this.asked += 1;
      await pause(ASK_EVERY_MS);
    }
  }
}

/** Asks and asks, and reads nothing of what is answered. */
async function deafReader(world: World, pings: number): Promise<string | undefined> {
  const deaf = await SpecAgent.connect({ baseUrl: world.base, apiKey: world.host.apiKey });
  const { socket } = deaf;
  socket.pause();
  for (let sent = 0; sent < pings && socket.readyState === socket.OPEN; sent += 1) {
    deaf.send({ type: 'ping', request_id: id('req') });
    if (sent % 500 === 0) await pause(1);
  }
  await pause(500);
  deaf.crash();
  return undefined;
}

async function endlessStreams(world: World, streams: number): Promise<string | undefined> {
  const agent = await SpecAgent.connect({ baseUrl: world.base, apiKey: world.host.apiKey });
  const { channel } = await agent.open();
  await agent.bind('local_pairing', { display_name: 'Lee' }, channel);
  for (let sent = 0; sent < streams; sent += 1) {
    agent.delta(channel, `stream_${sent}`, 1, `the beginning of ${'x'.repeat(1_000)}`);
    if (sent % 200 === 0) await agent.settle();
  }
  await agent.settle();
  const said = await agent.say(channel, 'and still an answer', { ms: 60_000 });
  await agent.bye();
  return said.payload?.['status'] === 'accepted' ? undefined : 'an answer after it was not accepted';
}

async function uploadStorm(agent: SpecAgent, channel: string, uploads: number): Promise<string | undefined> {
  const content = Buffer.alloc(UPLOAD_BYTES, 7);
  const answers = await Promise.allSettled(
    Array.from({ length: uploads }, (_, n) => agent.files.uploadRaw(channel, { filename: `${n}.bin`, content })),
  );
  const strange = answers.filter(
    (each) => each.status === 'fulfilled' && ![200, 201, 429, 503].includes(each.value.status),
  );
  const taken = answers.filter((each) => each.status === 'fulfilled' && each.value.status < 300);
  if (taken.length === 0) return 'none of the uploads was taken';
  return strange.length === 0 ? undefined : `${strange.length} uploads were answered strangely`;
}

/** Opens sockets that send a byte of a header now and then. */
async function slowloris(world: World, count: number): Promise<string | undefined> {
  const sockets: Socket[] = [];
  for (let n = 0; n < count; n += 1) {
    const socket = connect(world.host.port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write('GET /telegram/connector-card.json HTTP/1.1\r\nHost: 127');
    sockets.push(socket);
  }
  for (let round = 0; round < 10; round += 1) {
    for (const socket of sockets) if (socket.writable) socket.write('.');
    await pause(100);
  }
  const health = await world.host.get('/telegram/health').catch(() => undefined);
  for (const socket of sockets) socket.destroy();
  return health?.status === 200 ? undefined : 'nobody else was served meanwhile';
}

async function headerFlood(world: World, headers: number): Promise<string | undefined> {
  const lines = Array.from({ length: headers }, (_, n) => `X-${n}: ${n}\r\n`).join('');
  for (let n = 0; n < 5; n += 1) {
    const socket = connect(world.host.port, '127.0.0.1');
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.on('error', () => undefined);
    socket.resume();
    socket.write(`GET / HTTP/1.1\r\nHost: 127.0.0.1:${world.host.port}\r\n${lines}\r\n`);
    await Promise.race([closed, pause(5_000)]);
    socket.destroy();
  }
  return undefined;
}

async function deepJson(world: World, depth: number): Promise<string | undefined> {
  for (const [open, close] of [
    ['[', ']'],
    ['{"a":', '}'],
  ] as const) {
    const agent = await SpecAgent.connect({ baseUrl: world.base, apiKey: world.host.apiKey });
    const nested = `${open.repeat(depth)}1${close.repeat(depth)}`;
    agent.forgive('');
    agent.sendRaw(`{"schema":"xagent.connector.packet/v1","packet_id":"p","type":"ping","time":1,"payload":${nested}}`);
    await Promise.race([agent.settle().catch(() => undefined), agent.closed]);
    agent.crash();
  }
  return undefined;
}

/** The most memory a process had since it was watched; bytes. */
class Peak {
  value = 0;
  #over = false;

  constructor(pid: number) {
    void this.#watch(pid);
  }

  stop(): void {
    this.#over = true;
  }

  async #watch(pid: number): Promise<void> {
    while (!this.#over) {
      this.value = Math.max(this.value, await memoryOf(pid));
      await pause(LOOK_EVERY_MS);
    }
  }
}

/** Resident memory in bytes; 0 where the system does not tell. */
async function memoryOf(pid: number): Promise<number> {
  const statm = await readFile(`/proc/${pid}/statm`, 'utf8').catch(() => '');
  return Number(statm.split(' ')[1] ?? 0) * PAGE_BYTES;
}

export function megabytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(0)} MB`;
}
