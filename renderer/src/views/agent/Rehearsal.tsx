import type { ReactNode } from 'react';
import type { RehearsalSnapshot, Snapshot } from '../../../../src/bridge/index.js';
import { useCommand, useNow } from '../../bridge/index.js';
import { Button } from '../../components/Button.js';
import { Icon } from '../../components/Icon.js';
import { Section } from '../../components/Section.js';
import { Refusal } from '../../components/Refusal.js';
import { useWords, type Words } from '../../words/index.js';
import { RehearsalSteps } from './RehearsalSteps.js';
import { stepsDone } from './steps-done.js';

/** Plays an agent against the running server and shows each step passing, or what to do. */
export function Rehearsal({ snapshot }: { readonly snapshot: Snapshot }): ReactNode {
  const words = useWords();
  const { t } = words;
  const start = useCommand('rehearse');
  const stop = useCommand('rehearse-stop');
  const { rehearsal } = snapshot;
  const again = (
    <Button small kind="quiet" icon="refresh" busy={start.busy} onClick={() => void start.run({})}>
      {t('agent.rehearsal.again')}
    </Button>
  );
  const refusal = start.refusal ?? stop.refusal;
  return (
    <Section
      title={t('agent.rehearsal.title')}
      sub={rehearsal === undefined ? t('agent.rehearsal.sub') : progressOf(rehearsal, words)}
      actions={
        rehearsal?.status === 'running' ? (
          <Button small kind="quiet" busy={stop.busy} onClick={() => void stop.run({})}>
            {t('agent.rehearsal.stop')}
          </Button>
        ) : (
          rehearsal !== undefined && rehearsal.status !== 'failed' && again
        )
      }
    >
      {rehearsal === undefined ? (
        <div className="panel">
          <div className="set stack">
            <Icon name="play" />
            <div className="grow">
              <p>{t('agent.rehearsal.about')}</p>
            </div>
            <Button busy={start.busy} onClick={() => void start.run({})}>
              {t('agent.rehearsal.start')}
            </Button>
          </div>
        </div>
      ) : (
        <RehearsalSteps
          rehearsal={rehearsal}
          paused={snapshot.paused}
          busy={start.busy}
          onAgain={() => void start.run({})}
        />
      )}
      {rehearsal !== undefined && <LastRun rehearsal={rehearsal} />}
      <Refusal of={refusal} />
    </Section>
  );
}

function LastRun({ rehearsal: { status, startedAt } }: { readonly rehearsal: RehearsalSnapshot }): ReactNode {
  const { t, format } = useWords();
  const now = useNow();
  if (status === 'running') return null;
  return <p className="small tx-2 after">{t('agent.rehearsal.last', { time: format.time(startedAt, now) })}</p>;
}

function progressOf(rehearsal: RehearsalSnapshot, { t, format }: Words): string {
  const { steps, startedAt, endedAt } = rehearsal;
  const step = stepsDone(rehearsal) + 1;
  switch (rehearsal.status) {
    case 'running':
      return t('agent.rehearsal.step', { step: Math.min(step, steps.length), n: steps.length });
    case 'passed':
      return t('agent.rehearsal.passed', { n: steps.length, time: format.took((endedAt ?? startedAt) - startedAt) });
    case 'failed':
      return t('agent.rehearsal.failed', { step });
    case 'stopped':
      return t('agent.rehearsal.stopped');
  }
}
