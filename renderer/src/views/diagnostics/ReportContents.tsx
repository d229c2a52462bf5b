import type { ReactNode } from 'react';
import { Icon } from '../../components/Icon.js';
import { useWords } from '../../words/index.js';

/** What stands in the report and what was taken out of it. */
export function ReportContents(): ReactNode {
  const { t } = useWords();
  return (
    <div className="two">
      <div>
        <h3>{t('diagnostics.report.inside')}</h3>
        <ul>
          {(['inside_states', 'inside_logs', 'inside_versions'] as const).map((item) => (
            <li key={item}>
              <Icon name="check" />
              <span>{t(`diagnostics.report.${item}`)}</span>
            </li>
          ))}
        </ul>
      </div>
      <div>
        <h3>{t('diagnostics.report.out')}</h3>
        <ul>
          {(['out_text', 'out_secrets', 'out_names'] as const).map((item) => (
            <li key={item}>
              <Icon name="x" />
              <span>{t(`diagnostics.report.${item}`)}</span>
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}
