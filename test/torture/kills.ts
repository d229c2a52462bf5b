import type { Line } from './line.js';
import { Findings, pause, type Outcome, type Scenario, type ScenarioContext } from './scenario.js';
import { ThreeNetworks } from './three-networks.js';

const KILLS = 1_000;
const KILLS_SHORT = 5;
/** Longest life of a host after its first answer was decided; milliseconds. */
const LIFE_MS = 4_000;
/** And longest wait for that, on a machine so busy that a fresh host hardly gets to speak; milliseconds. */
const FIRST_ANSWER_MS = 15_000;
const LOOK_EVERY_MS = 50;
/** Share of hosts that are killed before they did any of that. */
const KILLED_EARLY = 0.15;
/** Between two things that a person and an agent have to say; milliseconds. */
const TALK_EVERY_MS = 400;
/** Share of hosts that are killed before they are ready. */
const KILLED_IN_START = 0.15;
/** A host takes about this long to its ready line; milliseconds. */
const START_MS = 900;
/** Share of answers whose fate may be unknown to everybody, though each of them is told. */
const IN_DOUBT_SHARE = 0.01;
/** Kills after which everything is let come to its end and counted, so that a long run shows early what it breaks. */
const COUNT_EVERY = 50;

/** SIGKILL at random points while three networks and their agents talk. */
export const kills: Scenario = {
  name: 'kills',
  promise: 'nothing lost, nothing doubled, over any crash',
  async run(context: ScenarioContext): Promise<Outcome> {
    const { random, short, progress } = context;
    const target = short ? KILLS_SHORT : KILLS;
    const began = performance.now();
    const findings = new Findings();
    const networks = new ThreeNetworks(random.fork(), { flaky: true });
    let killed = 0;
    let counted = 0;
    try {
      await networks.start();
      while (killed < target) {
        await live(networks, context);
        killed += 1;
        for (const line of networks.lines) if (random.chance(0.3)) await line.says();
        while (killed < target && random.chance(KILLED_IN_START)) {
          await killedInStart(networks, random.next() * START_MS);
          killed += 1;
        }
        await networks.host.restart();
        if (killed >= counted + COUNT_EVERY && killed < target) {
          counted = killed;
          await networks.settle();
          const { lost, doubled, ...others } = await networks.judge(findings);
          progress(`${killed} kills: ${lost} lost, ${doubled} doubled, ${JSON.stringify(others)}`);
          if (findings.broken.length > 0) break;
        }
      }
      await networks.settle();
      const { 'in doubt': inDoubt, ...figures } = await networks.judge(findings);
      const answers = figures['answers to people'] ?? 0;
      const doubt = inDoubt ?? 0;
      // A dozen kills say nothing about a share.
      if (!short) findings.expect(doubt < answers * IN_DOUBT_SHARE, `${doubt} of ${answers} answers in doubt`);
      return {
        happened: `${killed} SIGKILLs under Telegram, WeChat and Feishu with flaky agents`,
        figures: {
          kills: killed,
          ...figures,
          'in doubt': `${doubt} (${((doubt / answers) * 100).toFixed(2)} %)`,
          minutes: ((performance.now() - began) / 60_000).toFixed(1),
        },
        broken: findings.broken,
      };
    } finally {
      await networks.end();
    }
  },
};

/** One life of the host: agents come back and talk until it is killed at a random instant. */
async function live(networks: ThreeNetworks, { random }: ScenarioContext): Promise<void> {
  const { host, lines } = networks;
  for (const line of lines) if (random.chance(0.7)) await line.says();
  const resumed = lines.map((line) => line.resume(host));
  const decided = decidedBy(lines);
  let over = false;
  const talks = lines.map((line, index) => talk(line, networks, resumed[index], () => over));
  if (!random.chance(KILLED_EARLY)) {
    const end = performance.now() + FIRST_ANSWER_MS;
    while (decidedBy(lines) === decided && performance.now() < end) await pause(LOOK_EVERY_MS);
  }
  await pause(random.next() * LIFE_MS);
  over = true;
  for (const line of lines) line.note();
  await host.kill();
  await Promise.all(talks);
  for (const line of lines) line.leave();
}

/** Answers with a final verdict so far. */
function decidedBy(lines: readonly Line[]): number {
  return lines.reduce((sum, { answers }) => sum + answers.all.length - answers.open.length, 0);
}

/** An agent that comes back whenever it was thrown out or crashed, and answers without pause. */
async function talk(
  line: Line,
  { host }: ThreeNetworks,
  resumed: Promise<void> | undefined,
  isOver: () => boolean,
): Promise<void> {
  await resumed;
  while (!isOver()) {
    const { agent } = line;
    if (!agent) return;
    while (agent.isOpen && !isOver()) {
      await line.goOn();
      await Promise.race([agent.closed, pause(TALK_EVERY_MS)]);
      line.note();
    }
    if (isOver()) return;
    line.leave();
    await line.resume(host);
  }
}

/** A host that dies before it says that it is ready. */
async function killedInStart({ host }: ThreeNetworks, ms: number): Promise<void> {
  const started = host.restart().then(
    () => undefined,
    () => undefined,
  );
  await pause(ms);
  await host.kill();
  await started;
}
