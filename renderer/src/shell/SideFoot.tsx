import type { ReactNode } from 'react';
import { agentsConnected, type HostStage, type Snapshot } from '../../../src/bridge/index.js';
import { snapshotOf, useHost, useShellFacts } from '../bridge/index.js';
import { Icon } from '../components/Icon.js';
import { Say } from '../components/Say.js';
import type { SignName, Tone } from '../components/Sign.js';
import { useWords, type Words } from '../words/index.js';
import { PauseButton } from './PauseButton.js';

interface Line {
  readonly sign: SignName;
  readonly tone: Tone;
  readonly text: string;
}

/** How the whole stands: the agent, the address, and whether delivery goes on. */
export function SideFoot(): ReactNode {
  const words = useWords();
  const host = useHost();
  const { online } = useShellFacts();
  const snapshot = snapshotOf(host);
  const { sign, tone, text } = lineOf(host, online, words);
  const listening = host.stage === 'running' && snapshot?.server.state === 'listening';
  return (
    <div className="side-foot">
      <Say sign={sign} tone={tone}>
        {text}
      </Say>
      {listening && (
        <p className="say">
          <Icon name="pulse" />
          <span className="mono">{new URL(snapshot.url).host}</span>
        </p>
      )}
      {host.stage === 'running' && <PauseButton snapshot={host.snapshot} />}
    </div>
  );
}

function lineOf(host: HostStage, online: boolean, { t }: Words): Line {
  switch (host.stage) {
    case 'starting':
      return { sign: 'busy', tone: 'busy', text: t('foot.starting') };
    case 'stopping':
      return { sign: 'busy', tone: 'busy', text: t('foot.stopping') };
    case 'failed':
      return { sign: 'danger', tone: 'danger', text: t('foot.failed') };
    case 'unreachable':
      return { sign: 'offline', tone: 'idle', text: t('foot.unreachable') };
    case 'running':
      return runningLine(host.snapshot, online, t);
  }
}

function runningLine(snapshot: Snapshot, online: boolean, t: Words['t']): Line {
  const { server, paused } = snapshot;
  if (server.state === 'port_taken') {
    return { sign: 'danger', tone: 'danger', text: t('foot.port_taken', { port: String(server.port) }) };
  }
  if (!online) return { sign: 'offline', tone: 'idle', text: t('foot.offline') };
  if (paused) return { sign: 'paused', tone: 'idle', text: t('foot.paused') };
  const n = agentsConnected(snapshot);
  if (n === 0) return { sign: 'none', tone: 'idle', text: t('foot.no_agent') };
  return { sign: 'ok', tone: 'ok', text: t('foot.agents', { n }) };
}
