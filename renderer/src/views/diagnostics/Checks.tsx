import type { ReactNode } from 'react';
import type { ConnectorSnapshot, Finding } from '../../../../src/bridge/index.js';
import { useNow } from '../../bridge/index.js';
import { type Read, useRead } from '../../bridge/use-read.js';
import { Button } from '../../components/Button.js';
import { Section } from '../../components/Section.js';
import { Refusal } from '../../components/Refusal.js';
import { useWords, type Words } from '../../words/index.js';
import { CheckRow } from './CheckRow.js';
import { UnderWay } from './UnderWay.js';

interface Findings {
  readonly findings: readonly Finding[];
}

/** Looks at everything that has to work, as soon as it is opened and as often as it is asked to. */
export function Checks({ connectors }: { readonly connectors: readonly ConnectorSnapshot[] }): ReactNode {
  const words = useWords();
  const { t } = words;
  const now = useNow();
  const doctor = useRead<Findings>('', (bridge) => bridge.call('doctor', {}));
  const { value, busy, refusal, again } = doctor;
  return (
    <Section
      title={t('diagnostics.checks.title')}
      sub={subOf(doctor, now, words)}
      actions={
        <Button small kind="quiet" icon="refresh" busy={busy} onClick={again}>
          {t('diagnostics.checks.again')}
        </Button>
      }
    >
      <Refusal of={refusal} />
      {value === undefined && busy && <UnderWay connectors={connectors} />}
      {value !== undefined && (
        <ol className="panel" aria-label={t('diagnostics.checks.list')} aria-busy={busy}>
          {value.findings.map((finding, index) => (
            <CheckRow key={`${finding.check}:${index}`} finding={finding} connectors={connectors} onAgain={again} />
          ))}
        </ol>
      )}
    </Section>
  );
}

function subOf({ value, at, busy }: Read<Findings>, now: number, { t, format }: Words): string | undefined {
  if (busy) return t('diagnostics.checks.running');
  if (value === undefined || at === undefined) return undefined;
  const n = value.findings.length;
  const some = value.findings.filter(({ status }) => status !== 'ok').length;
  const time = format.time(at, now);
  return some === 0 ? t('diagnostics.checks.sub', { n, time }) : t('diagnostics.checks.sub_some', { n, time, some });
}
