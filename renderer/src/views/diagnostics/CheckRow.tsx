import type { ReactNode } from 'react';
import type { ConnectorSnapshot, Finding } from '../../../../src/bridge/index.js';
import { Button } from '../../components/Button.js';
import { classNames } from '../../components/class-names.js';
import { Sign, type SignName, type Tone } from '../../components/Sign.js';
import { useWords } from '../../words/index.js';
import { checkName } from './check-name.js';

interface CheckRowProps {
  readonly finding: Finding;
  readonly connectors: readonly ConnectorSnapshot[];
  readonly onAgain: () => void;
}

const SIGNS: Readonly<Record<Finding['status'], readonly [SignName, Tone]>> = {
  ok: ['ok', 'ok'],
  warn: ['attention', 'attention'],
  broken: ['danger', 'danger'],
};

/** One thing that was looked at: how it is, and what to do when it is not well. */
export function CheckRow({ finding, connectors, onAgain }: CheckRowProps): ReactNode {
  const words = useWords();
  const { t } = words;
  const [name, tone] = SIGNS[finding.status];
  const isWell = finding.status === 'ok';
  const todo = todoOf();

  function todoOf(): string {
    if (isWell) return '';
    return words.knows('doctor.todo', finding.code)
      ? words.code('doctor.todo', finding.code, finding.values)
      : finding.todo;
  }

  return (
    <li className={classNames('check finding', !isWell && 'flag', finding.status === 'broken' && 'bad')}>
      <Sign name={name} tone={tone} />
      <span>
        <span className="sr">{t(`diagnostics.checks.${finding.status}`)}: </span>
        {checkName(finding.check, connectors, words)}
      </span>
      <span className="ms" dir="auto">
        {words.knows('doctor', finding.code) ? words.code('doctor', finding.code, finding.values) : finding.detail}
      </span>
      {todo !== '' && (
        <span className="why" dir="auto">
          {todo}
        </span>
      )}
      {!isWell && (
        <span className="do">
          <Button small icon="refresh" onClick={onAgain}>
            {t('diagnostics.checks.again_one')}
          </Button>
        </span>
      )}
    </li>
  );
}
