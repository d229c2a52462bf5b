import type { ReactNode } from 'react';
import { agentsConnected, type RehearsalSnapshot, type Snapshot } from '../../../../src/bridge/index.js';
import { useCommand } from '../../bridge/index.js';
import { Button } from '../../components/Button.js';
import { ButtonLink } from '../../components/ButtonLink.js';
import { Sign, type SignName, type Tone } from '../../components/Sign.js';
import { useTellRefusal } from '../../components/use-tell-refusal.js';
import { href } from '../../shell/route.js';
import { useWords, type Words } from '../../words/index.js';
import { stepsDone } from '../agent/steps-done.js';

interface Arrival {
  readonly sign: SignName;
  readonly tone: Tone;
  readonly text: string;
}

/** Whether the agent came; who has none yet can rehearse instead. */
export function AgentArrival({ snapshot }: { readonly snapshot: Snapshot }): ReactNode {
  const words = useWords();
  const { t } = words;
  const tellRefusal = useTellRefusal();
  const { run, busy } = useCommand('rehearse');
  const { sign, tone, text } = arrivalOf(snapshot, words);
  const status = snapshot.rehearsal?.status;
  return (
    <div className="set stack">
      <Sign name={sign} tone={tone} />
      <div className="grow" role="status">
        {text}
      </div>
      {agentsConnected(snapshot) === 0 && status !== 'running' && (
        <Button small kind="quiet" busy={busy} onClick={() => void run({}).then(tellRefusal)}>
          {status === 'passed' || status === 'failed' ? t('agent.rehearsal.again') : t('onboarding.agent.rehearse')}
        </Button>
      )}
      {status === 'failed' && (
        <ButtonLink small href={href('agent')}>
          {t('onboarding.agent.see_why')}
        </ButtonLink>
      )}
    </div>
  );
}

function arrivalOf(snapshot: Snapshot, words: Words): Arrival {
  const { t } = words;
  if (agentsConnected(snapshot) > 0) {
    const name = snapshot.agents[0]?.name ?? t('agent.now.unnamed');
    return { sign: 'ok', tone: 'ok', text: t('onboarding.agent.here', { name }) };
  }
  const played = snapshot.rehearsal && rehearsalOf(snapshot.rehearsal, words);
  return played ?? { sign: 'busy', tone: 'busy', text: t('onboarding.agent.waiting') };
}

function rehearsalOf(rehearsal: RehearsalSnapshot, { t }: Words): Arrival | undefined {
  const n = rehearsal.steps.length;
  const step = Math.min(n, stepsDone(rehearsal) + 1);
  switch (rehearsal.status) {
    case 'running':
      return { sign: 'busy', tone: 'busy', text: t('onboarding.agent.rehearsing', { step, n }) };
    case 'passed':
      return { sign: 'ok', tone: 'ok', text: t('onboarding.agent.rehearsed', { n }) };
    case 'failed':
      return { sign: 'danger', tone: 'danger', text: t('onboarding.agent.rehearsal_failed', { step }) };
    case 'stopped':
      return undefined;
  }
}
