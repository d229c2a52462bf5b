import { Agent } from '../agent.mjs';
import { startHost } from '../host.mjs';
import { treeMemory, treeProcessorTime } from '../process-facts.mjs';
import { pause } from '../rounds.mjs';
import { measured } from '../rows.mjs';
import { loadSimulator } from '../simulators.mjs';

const TOKEN = '123456789:AAE-simulated-bot-token-0123456789abcdef';
const CHAT = 42_001;
/** What signing in set going has ended by then, ms. */
const SETTLE_MS = 20_000;

/** Processor time with three networks bound, an agent on each, and nobody who writes. */
export const idleProcessor = {
  name: 'idle-cpu',
  long: true,
  async run({ folder, short }) {
    const seconds = short ? 20 : 300;
    const networks = await startNetworks(folder);
    const host = await startHost(folder, { config: { connectors: networks.config }, probed: false });
    try {
      for (const bind of networks.bindings) await bind(host);
      await pause(short ? 2_000 : SETTLE_MS);
      const before = treeProcessorTime(host.pid);
      await pause(seconds * 1_000);
      const share = ((treeProcessorTime(host.pid) - before) / seconds) * 100;
      return [
        measured({
          name: `idle processor time over ${seconds} s, three networks bound`,
          unit: '% of a core',
          product: [share],
          target: { atMost: 0.2 },
        }),
        measured({ name: 'memory with three networks bound', unit: 'MiB', product: [treeMemory(host.pid)] }),
      ];
    } finally {
      await host.stop();
      await networks.close();
    }
  },
};

async function startNetworks(folder) {
  const load = async (name) => loadSimulator(name, folder);
  const telegram = await (await load('telegram')).startTelegramSimulator({ token: TOKEN });
  telegram.start(CHAT, 'Kim');
  const ilink = await load('ilink');
  const wechat = await ilink.startIlinkSimulator();
  const feishu = await (await load('feishu')).startFeishuSimulator();
  feishu.registrations.options = { ...feishu.registrations.options, intervalS: 1 };
  return {
    config: {
      telegram: { apiRoot: telegram.apiRoot },
      wechat: { apiBaseUrl: wechat.apiBaseUrl, cdnBaseUrl: wechat.cdnBaseUrl },
      feishu: { apiBaseUrl: feishu.url, accountsBaseUrl: feishu.url },
    },
    bindings: [
      (host) => bound(host, 'telegram', 'telegram_bot_binding', { bot_token: TOKEN, chat_id: String(CHAT) }),
      (host) => scanned(host, 'wechat', 'wechat_qr_login', () => wechat.logins.confirm(ilink.PERSON)),
      (host) => scanned(host, 'feishu', 'feishu_qr_create_app', () => feishu.confirm('ou_kim')),
    ],
    close: () => Promise.all([telegram.close(), wechat.close(), feishu.close()]),
  };
}

async function bound(host, connector, flow, input) {
  const agent = await Agent.connect(host.url, connector);
  await agent.connected(await agent.bind(flow, input));
}

/** A QR is shown, the person scans and confirms it. */
async function scanned(host, connector, flow, confirm) {
  const agent = await Agent.connect(host.url, connector);
  const channel = await agent.open();
  await agent.request('auth.start', { channel, payload: { flow_id: flow } });
  confirm();
  await agent.connected(channel);
}
