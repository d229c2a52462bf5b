import { FakeNetwork, openWorld } from '../support/delivery-world.js';

const CHANNELS = 200;
const PENDING = 1_000;
const LEDGER_IDS = 10_000;
const SHORT_CHANNELS = 20;
const SHORT_LEDGER_IDS = 1_000;
/** What full queues may hold in memory: rows are on the disk. Bytes. */
const HEAP_BOUND = 64 * 1024 * 1024;
const MEGABYTE = 1024 * 1024;

/** As many channels as anybody has, each with all that may wait and all that is remembered. */
export async function queueFigures(
  short: boolean,
): Promise<{ figures: Record<string, string | number>; broken: string[] }> {
  const channels = short ? SHORT_CHANNELS : CHANNELS;
  const ids = short ? SHORT_LEDGER_IDS : LEDGER_IDS;
  const broken: string[] = [];
  const world = await openWorld();
  try {
    const before = heap();
    for (let account = 0; account < channels; account += 1) await fill(world, `acc_${account}`);
    const network = new FakeNetwork();
    world.delivery.attach('acc_0', network);
    for (let n = 0; n < ids; n += 1) {
      const request = {
        kind: 'message',
        channelId: 'cch_0',
        accountId: 'acc_0',
        id: `m${n}`,
        text: 't',
        files: [],
      } as const;
      await world.delivery.deliver(request);
    }
    network.sent.length = 0;
    const grown = heap() - before;
    const offered: string[] = [];
    world.delivery.route('acc_0', {
      kind: 'xagent',
      transmit: async ({ messageId }) => {
        offered.push(messageId);
        return 'done';
      },
    });
    await world.store.flush();
    for (let turn = 0; turn < PENDING && offered.length < PENDING; turn += 1) await world.clock.advance(10);
    const pending = Array.from({ length: channels - 1 }, (_, n) => world.delivery.queue(`acc_${n + 1}`).pending);
    if (pending.some((count) => count !== PENDING)) broken.push('a queue is not as long as it was filled');
    if (offered.length !== PENDING) broken.push(`${offered.length} of ${PENDING} messages reached an agent`);
    if (grown > HEAP_BOUND) broken.push(`full queues hold ${Math.round(grown / MEGABYTE)} MB`);
    return {
      figures: {
        [`memory of ${channels} channels with ${PENDING} pending and ${ids} ids`]: `${Math.round(grown / MEGABYTE)} MB`,
      },
      broken,
    };
  } finally {
    await world.end();
  }
}

async function fill(world: Awaited<ReturnType<typeof openWorld>>, accountId: string): Promise<void> {
  await world.delivery.intake.commit({
    consumer: `fake/${accountId}`,
    state: {},
    messages: Array.from({ length: PENDING }, (_, n) => ({
      accountId,
      message: {
        id: `${accountId}-${n}`,
        text: `message ${n} ${'words '.repeat(20)}`,
        attachments: [],
        sender: { id: 'p' },
        conversation: { id: 'c', type: 'p2p' },
      },
    })),
  });
}

function heap(): number {
  global.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
