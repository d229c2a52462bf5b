import { createServer } from 'node:http';
import { Agent, ackFrame, finalPacket } from '../agent.mjs';
import { startHost } from '../host.mjs';
import { bare, startProgram } from '../programs.mjs';
import { alternate, pause } from '../rounds.mjs';
import { compared } from '../rows.mjs';
import { loadSimulator } from '../simulators.mjs';
import { percentile } from '../statistics.mjs';
import { frameOf } from '../web-socket.mjs';

/** Telegram takes one message a second in a chat, so that the chats take turns. */
const CHATS = 30;
/** And a bot may speak about thirty times a second; a human pace, which neither side has to wait for. Milliseconds. */
const PACE_MS = 40;
const FIRST_CHAT = 42_000;
const TOKENS = {
  product: '123456789:AAE-simulated-bot-token-0123456789abcdef',
  baseline: '987654321:AAE-simulated-bot-token-fedcba9876543210',
};

export const telegram = {
  name: 'telegram',
  async run({ folder, short }) {
    const { startTelegramSimulator } = await loadSimulator('telegram', folder);
    const product = await productSide(folder, await startTelegramSimulator({ token: TOKENS.product }));
    const baseline = await bridgeSide(await startTelegramSimulator({ token: TOKENS.baseline }));
    try {
      await product.pass();
      await baseline.pass();
      const passes = short ? 1 : 4;
      const round = (side) => async () => {
        const taken = [];
        for (let pass = 0; pass < passes; pass += 1) taken.push(...(await side.pass()));
        return taken;
      };
      const sides = await alternate(short ? 2 : 5, { product: round(product), baseline: round(baseline) });
      return [row('p50', 0.5, 1, sides), row('p99', 0.99, 1.2, sides)];
    } finally {
      await product.close();
      await baseline.close();
    }
  },
};

function row(name, share, atMost, { product, baseline }) {
  return compared({
    name: `Telegram message → agent → answer, added both ways, ${name}`,
    unit: 'ms',
    product: product.map((taken) => percentile(taken, share)),
    baseline: baseline.map((taken) => percentile(taken, share)),
    target: { atMost },
  });
}

async function productSide(folder, simulator) {
  for (let chat = 0; chat < CHATS; chat += 1) simulator.start(FIRST_CHAT + chat, 'Kim');
  const host = await startHost(folder, { config: { connectors: { telegram: { apiRoot: simulator.apiRoot } } } });
  const agent = await Agent.connect(host.url, 'telegram');
  for (let chat = 0; chat < CHATS; chat += 1) {
    const channel = await agent.bind('telegram_bot_binding', {
      bot_token: simulator.token,
      chat_id: String(FIRST_CHAT + chat),
    });
    await agent.connected(channel);
  }
  return {
    pass: () =>
      onePass(simulator, (reached) => {
        agent.onPacket = (packet) => {
          if (packet.type !== 'chat.message') return;
          const answer = finalPacket(packet.connector_channel_id, answerOf(packet.payload.text));
          reached();
          agent.socket.write(Buffer.concat([ackFrame(packet), frameOf(answer)]));
        };
      }),
    async close() {
      await host.stop();
      await simulator.close();
    },
  };
}

async function bridgeSide(simulator) {
  let reached = () => undefined;
  const agent = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk) => (body += chunk));
    request.on('end', () => {
      const { text } = JSON.parse(body);
      reached();
      response.end(JSON.stringify({ text: answerOf(text) }));
    });
  });
  await new Promise((resolve) => agent.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${agent.address().port}/`;
  const bridge = await startProgram([bare('grammy-bridge'), simulator.token, simulator.apiRoot, url]);
  return {
    pass: () => onePass(simulator, (fn) => (reached = fn)),
    async close() {
      await bridge.stop();
      agent.close();
      agent.closeAllConnections();
      await simulator.close();
    },
  };
}

/**
 * A message in each chat, one after the other.
 * @param whenReached gets a function to call when the agent has the message; it answers in the same moment
 * @returns for each, ms from the person's message to the answer at Telegram, without the agent's own
 */
async function onePass(simulator, whenReached) {
  const taken = [];
  for (let chat = FIRST_CHAT; chat < FIRST_CHAT + CHATS; chat += 1) {
    let reachedAt = 0;
    whenReached(() => (reachedAt = performance.now()));
    const answered = new Promise((resolve) => watchSends(simulator, resolve));
    const began = performance.now();
    simulator.say(chat, `question ${began}`, { firstName: 'Kim' });
    await answered;
    if (reachedAt === 0) throw new Error('an answer came that the agent did not give');
    taken.push(performance.now() - began);
    await pause(PACE_MS);
  }
  return taken;
}

/** Calls `fn` at the next message that the bot sends, in the moment in which Telegram has the request. */
function watchSends(simulator, fn) {
  const { calls } = simulator;
  calls.push = (call) => {
    if (call.method === 'sendMessage') {
      delete calls.push;
      fn();
    }
    return Array.prototype.push.call(calls, call);
  };
}

const answerOf = (text) => `the answer to ${text}`;
