import { clearInterval, setInterval } from 'node:timers';
import { Agent, ackFrame, finalPacket } from '../agent.mjs';
import { connectControl } from '../control.mjs';
import { startHost } from '../host.mjs';
import { pause } from '../rounds.mjs';
import { measured } from '../rows.mjs';
import { slope } from '../statistics.mjs';
import { frameOf } from '../web-socket.mjs';
import { boundChannels } from './accepted.mjs';

const CHANNELS = 10;
/** A question and its answer are two messages. */
const QUESTIONS_PER_SECOND = 25;
const SAMPLE_EVERY_MS = 20_000;
const MS_PER_HOUR = 3_600_000;

/**
 * Minutes. Until caches are full, code is compiled and the allocator has what it needs, memory grows: at this rate for a quarter
 * of an hour. Then half an hour counts.
 */
const LENGTHS = { full: { warmUp: 20, counted: 30 }, short: { warmUp: 0.3, counted: 0.7 } };

/** Whether memory grows while people and agent talk for half an hour. */
export const soak = {
  name: 'soak',
  long: true,
  async run({ folder, short }) {
    const { warmUp, counted } = LENGTHS[short ? 'short' : 'full'];
    const host = await startHost(folder);
    try {
      const talk = await startTalk(host);
      const samples = [];
      const began = performance.now();
      while (performance.now() - began < (warmUp + counted) * 60_000) {
        await pause(short ? 2_000 : SAMPLE_EVERY_MS);
        // After a full collection: what is garbage already is not growth.
        const { residentMib, youngMib, heapMib } = await host.ask({ collect: true });
        samples.push({ at: performance.now() - began, residentMib, keptMib: residentMib - youngMib, heapMib });
      }
      const answered = await talk.stop();
      const warm = samples.filter(({ at }) => at >= warmUp * 60_000);
      const perHour = (key) => slope(warm.map((each) => [each.at / MS_PER_HOUR, each[key]]));
      const row = (name, unit, value, target) => measured({ name, unit, product: [value], target });
      // What V8 keeps ready for young objects goes up and down by 30 MiB within a minute, which no slope of 1 MB/h can be seen through.
      const kept = `resident memory without V8's young generation, slope over ${counted} min`;
      return [
        row(kept, 'MB/h', perHour('keptMib'), { atMost: 1 }),
        row('resident memory, slope of the same', 'MB/h', perHour('residentMib')),
        row('live heap, slope of the same', 'MB/h', perHour('heapMib')),
        row('resident memory at its end', 'MiB', samples.at(-1).residentMib),
        row('messages in both directions', '/s', (answered * 2 * 1000) / (performance.now() - began)),
      ];
    } finally {
      await host.stop();
    }
  },
};

/** People ask on all channels in turn, the agent answers each. */
async function startTalk(host) {
  const control = await connectControl(host.dataDir);
  const agent = await Agent.connect(host.url, 'local');
  const channels = await boundChannels(agent, CHANNELS);
  const accounts = await Agent.accountsOf(host.url, 'local');
  let answered = 0;
  agent.onPacket = (packet) => {
    if (packet.type !== 'chat.message') return;
    answered += 1;
    const answer = finalPacket(packet.connector_channel_id, `the answer to ${packet.payload.text}`);
    agent.socket.write(Buffer.concat([ackFrame(packet), frameOf(answer)]));
  };
  let asked = 0;
  const timer = setInterval(() => {
    const channel = channels[asked % CHANNELS];
    asked += 1;
    void control.say(accounts.get(channel), `question ${asked} of a person who has a little more to say than hello`);
  }, 1_000 / QUESTIONS_PER_SECOND);
  return {
    async stop() {
      clearInterval(timer);
      await pause(1_000);
      if (answered < asked) throw new Error(`${asked - answered} of ${asked} questions did not reach the agent`);
      control.close();
      await agent.close();
      return answered;
    },
  };
}
