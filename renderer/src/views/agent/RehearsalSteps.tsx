import type { ReactNode } from 'react';
import type { RehearsalSnapshot, RehearsalStep } from '../../../../src/bridge/index.js';
import { useCommand } from '../../bridge/index.js';
import { Button } from '../../components/Button.js';
import { ButtonLink } from '../../components/ButtonLink.js';
import { classNames } from '../../components/class-names.js';
import { Sign, type SignName, type Tone } from '../../components/Sign.js';
import { useTellRefusal } from '../../components/use-tell-refusal.js';
import { href } from '../../shell/route.js';
import { useWords } from '../../words/index.js';

interface RehearsalStepsProps {
  readonly rehearsal: RehearsalSnapshot;
  /** Delivery is paused right now. */
  readonly paused: boolean;
  /** A new one was asked for. */
  readonly busy: boolean;
  readonly onAgain: () => void;
}

const SIGNS: Readonly<Record<RehearsalStep['status'], readonly [SignName, Tone]>> = {
  todo: ['none', 'idle'],
  running: ['busy', 'busy'],
  passed: ['ok', 'ok'],
  failed: ['danger', 'danger'],
};

/** The steps of a rehearsal in order, with the time each took; a failed one says why and offers what helps. */
export function RehearsalSteps({ rehearsal, paused, busy, onAgain }: RehearsalStepsProps): ReactNode {
  const words = useWords();
  const { t, format } = words;
  const stopped = rehearsal.status === 'stopped';
  return (
    <ol className="panel" aria-label={t('agent.rehearsal.list')}>
      {rehearsal.steps.map(({ id, status, tookMs, code }) => {
        const shown = status === 'running' && stopped ? 'todo' : status;
        const [name, tone] = SIGNS[shown];
        return (
          <li key={id} className={classNames('check', shown === 'todo' && 'todo', shown === 'failed' && 'flag bad')}>
            <Sign name={name} tone={tone} />
            <span>
              {words.code('agent.rehearsal.steps', id)}
              <span className="sr">: {t(`agent.rehearsal.${shown}_word`)}</span>
            </span>
            <span className="ms">{tookMs !== undefined && format.took(tookMs)}</span>
            {shown === 'failed' && (
              <Failure code={code ?? 'internal_error'} paused={paused} busy={busy} onAgain={onAgain} />
            )}
          </li>
        );
      })}
    </ol>
  );
}

function Failure({
  code,
  paused,
  busy,
  onAgain,
}: { readonly code: string } & Omit<RehearsalStepsProps, 'rehearsal'>): ReactNode {
  const words = useWords();
  const { t } = words;
  const tellRefusal = useTellRefusal();
  const pause = useCommand('pause');
  return (
    <>
      <span className="why">{words.code('agent.rehearsal.codes', code)}</span>
      <span className="do">
        {code === 'delivery_paused' && paused && (
          <Button small busy={pause.busy} onClick={() => void pause.run({ paused: false }).then(tellRefusal)}>
            {t('foot.resume')}
          </Button>
        )}
        <Button small icon="refresh" busy={busy} onClick={onAgain}>
          {t('agent.rehearsal.again')}
        </Button>
        <ButtonLink small kind="quiet" href={href('settings', 'diagnostics')}>
          {t('agent.rehearsal.diagnostics')}
        </ButtonLink>
      </span>
    </>
  );
}
