import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ControlSocket } from '../support/control-socket.js';
import { eventually } from '../support/deadline.js';
import { HostProcess, runCli } from '../support/host-process.js';
import { isRecord } from '../support/http-client.js';
import { TelegramNetwork } from '../support/telegram-network.js';
import { World } from '../support/world.js';
import { Findings, type Outcome, type Scenario } from './scenario.js';

/** A disk on which a host fits, and little more. */
const DISK_SIZE = '12m';
const BALLAST_STEP_BYTES = 64 * 1024;
const NOTICED_MS = 60_000;

/** Disks that fill up, that may not be written, and that are taken away, under a whole host. */
export const disk: Scenario = {
  name: 'disk',
  promise: 'on a bad disk intake pauses, nothing is lost or silently reset, and the person is told',
  async run(): Promise<Outcome> {
    const findings = new Findings();
    const folder = await mkdtemp(join(tmpdir(), 'xcd-disk-'));
    try {
      const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_SIZE}`, 'tmpfs', folder]).status === 0;
      if (isMounted) await fillUp(folder, findings);
      await takeAway(findings);
      await damagedConfig(findings);
      return {
        happened: 'a disk filled to the last byte and freed, a data directory removed, half a config file',
        figures: { 'a disk of its own': isMounted ? DISK_SIZE : 'not to be had here' },
        broken: findings.broken,
      };
    } finally {
      spawnSync('umount', ['-l', folder]);
      await rm(folder, { recursive: true, force: true });
    }
  },
};

async function fillUp(folder: string, findings: Findings): Promise<void> {
  const rig = new TelegramNetwork();
  const world = await World.start(rig, {}, { dataDir: join(folder, 'data') });
  try {
    const { agent } = await world.bound();
    const ballast = await fill(folder);
    await rig.personSays('on a full disk');
    await eventually(
      async () => (await storageOf(world.host))['intakePaused'] === 'disk_full',
      'the full disk to be told',
      NOTICED_MS,
    );
    findings.expect(agent.messages.entries.length === 0, 'a message that was not stored was handed on');
    findings.expect(rig.simulator.updates.unconfirmed.length === 1, 'the network was told that a message is stored');
    for (const file of ballast) await rm(file);
    await agent.messages
      .next(({ text }) => text === 'on a full disk', 'the message', { ms: NOTICED_MS })
      .catch(() => findings.expect(false, 'a message was lost on a full disk'));
    await eventually(
      async () => (await storageOf(world.host))['intakePaused'] === undefined,
      'the disk to be well',
      NOTICED_MS,
    );
    await world.farewell();
  } finally {
    await world.end();
  }
}

/** Takes every byte that is left. */
async function fill(folder: string): Promise<string[]> {
  const files: string[] = [];
  for (let bytes = BALLAST_STEP_BYTES; bytes >= 1;) {
    const file = join(folder, `ballast-${files.length}`);
    files.push(file);
    try {
      await writeFile(file, Buffer.alloc(bytes, 1));
    } catch {
      bytes = Math.floor(bytes / 4);
    }
  }
  return files;
}

async function takeAway(findings: Findings): Promise<void> {
  const host = await HostProcess.start();
  try {
    const control = await ControlSocket.open(host.dataDir);
    await rm(host.dataDir, { recursive: true });
    const noticed = await eventually(
      async () => storageIn(await control.command('snapshot'))['intakePaused'] === 'gone',
      'the loss of the data directory to be told',
    ).catch(() => false);
    findings.expect(noticed, 'nobody was told that the data directory is gone');
    control.close();
  } finally {
    await host.destroy();
  }
}

async function damagedConfig(findings: Findings): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'xcd-config-'));
  const file = join(folder, 'config.json');
  for (const [what, content] of [
    ['half a config', '{"server": {"port": 0, "apiKey": "canary-key-01234'],
    ['an empty config', ''],
    ['a config of zeros', '\0\0\0\0'],
    ['a config of another shape', '{"server": []}'],
  ] as const) {
    await writeFile(file, content);
    const { code, stderr } = await runCli(['serve', '--config', file, '--data-dir', join(folder, 'data')]);
    findings.expect(code === 2 && stderr.includes(file), `${what} is not refused by its name`);
    findings.expect(!stderr.includes('canary'), `${what} is quoted`);
  }
  await rm(folder, { recursive: true, force: true });
}

async function storageOf(host: HostProcess): Promise<Record<string, unknown>> {
  const control = await ControlSocket.open(host.dataDir);
  try {
    return storageIn(await control.command('snapshot'));
  } finally {
    control.close();
  }
}

function storageIn(answer: Record<string, unknown>): Record<string, unknown> {
  const snapshot = isRecord(answer['snapshot']) ? answer['snapshot'] : answer;
  return isRecord(snapshot['storage']) ? snapshot['storage'] : {};
}
