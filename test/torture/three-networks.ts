import { FeishuNetwork } from '../support/feishu-network.js';
import { HostProcess, type Config } from '../support/host-process.js';
import { TelegramNetwork } from '../support/telegram-network.js';
import { WechatNetwork } from '../support/wechat-network.js';
import { feishuNetwork, telegramNetwork, wechatNetwork } from './conversation.js';
import { fastClock } from './fast-clock.js';
import { Line, type LineOptions, type LineResult } from './line.js';
import type { Random } from './random.js';
import { pause, type Findings } from './scenario.js';

/** Feishu repeats an event after 15 s, 5 min, 1 h and 6 h: here the last comes after four minutes. */
const FEISHU_TIMES = 90;
/** Retries in a hurry, so that a run of minutes sees what otherwise takes hours. */
const FAST: Config = {
  delivery: { ackTimeoutMs: 500, retryInitialMs: 50, retryMaxMs: 200 },
  log: { level: 'warn' },
};
/** Between two looks whether all is settled, and between two repeats of an agent without a verdict; milliseconds. */
const SETTLE_STEP_MS = 1_000;
/** Nothing more is expected once nothing has moved for this long; milliseconds. */
const STILL_MS = 90_000;

/** Telegram, WeChat and Feishu behind one host, each with a person and an agent. */
export class ThreeNetworks {
  readonly telegram = new TelegramNetwork();
  readonly wechat = new WechatNetwork();
  readonly feishu = new FeishuNetwork(fastClock(FEISHU_TIMES));
  readonly lines: readonly Line[];
  #host: HostProcess | undefined;

  constructor(random: Random, options: LineOptions) {
    const networks = [telegramNetwork(this.telegram), wechatNetwork(this.wechat), feishuNetwork(this.feishu)];
    this.lines = networks.map((network) => new Line(network, random.fork(), options));
  }

  get host(): HostProcess {
    if (!this.#host) throw new Error('the host was not started');
    return this.#host;
  }

  /** @param config beside what the networks need */
  async start(config: Config = {}): Promise<void> {
    for (const { network } of this.lines) await network.rig.start();
    const connectors = Object.assign({}, ...this.lines.map(({ network }) => network.rig.config()['connectors']));
    this.#host = await HostProcess.start({ config: { ...FAST, ...config, connectors } });
    for (const line of this.lines) await line.begin(this.#host);
  }

  /** Lets everything under way come to its end, while agents go on repeating what has no verdict. */
  async settle(): Promise<void> {
    let movedAt = performance.now();
    let left = '';
    for (const { network } of this.lines) network.mend();
    while (!this.lines.every((line) => line.isSettled) && performance.now() - movedAt < STILL_MS) {
      const now = this.lines.map((line) => line.missing).join();
      if (now !== left) movedAt = performance.now();
      left = now;
      for (const line of this.lines) {
        line.note();
        if (line.isSettled) continue;
        if (line.network.hasReplyWindow && line.answers.open.length > 0) await line.says();
        line.network.redeliver();
        if (line.agent?.isOpen === true) await line.repeat();
        else await line.resume(this.host);
      }
      await pause(SETTLE_STEP_MS);
    }
    for (const line of this.lines) line.note();
  }

  /** What became of everything; broken promises go to the findings. */
  async judge(findings: Findings): Promise<Record<string, number>> {
    const results: LineResult[] = [];
    let shown = 0;
    for (const line of this.lines) {
      const { name } = line.network.rig;
      findings.expect(line.isSettled, `without an end: ${line.missing}`);
      line.leave();
      const result = await line.result();
      results.push(result);
      const counted = await line.inDoubtShown(this.host);
      shown += counted;
      findings.expect(result.lost.length === 0, `${name} lost ${list(result.lost)}`);
      findings.expect(result.doubled.length === 0, `${name} doubled ${list(result.doubled)}`);
      findings.expect(
        counted === result.inDoubt,
        `${name}: ${result.inDoubt} answers in doubt, but the status counts ${counted}`,
      );
      findings.expect(result.faults.length === 0, `${name} broke the protocol: ${list([...new Set(result.faults)])}`);
    }
    const sum = (of: (result: LineResult) => number): number => results.reduce((all, each) => all + of(each), 0);
    return {
      'messages to agents': sum(({ inbound }) => inbound),
      'answers to people': sum(({ answers }) => answers),
      lost: sum(({ lost }) => lost.length),
      doubled: sum(({ doubled }) => doubled.length),
      refused: sum(({ refused }) => refused),
      'in doubt': sum(({ inDoubt }) => inDoubt),
      'in doubt as counted': shown,
    };
  }

  async end(): Promise<void> {
    for (const line of this.lines) line.leave();
    await this.#host?.destroy();
    for (const { network } of this.lines) await network.rig.stop();
  }
}

function list(items: readonly string[]): string {
  const some = items.slice(0, 5).join(', ');
  return items.length > 5 ? `${some} and ${items.length - 5} more` : some;
}
