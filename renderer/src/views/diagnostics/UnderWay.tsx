import type { ReactNode } from 'react';
import type { ConnectorSnapshot } from '../../../../src/bridge/index.js';
import { Sign } from '../../components/Sign.js';
import { LOCAL } from '../../shell/accounts-of.js';
import { useWords } from '../../words/index.js';

const OWN_CHECKS = ['data_dir', 'port', 'secrets', 'clock'] as const;

/** What is being looked at, all at once; the networks are what takes its time. */
export function UnderWay({ connectors }: { readonly connectors: readonly ConnectorSnapshot[] }): ReactNode {
  const words = useWords();
  const networks = connectors.filter(({ name }) => name !== LOCAL);
  const names = [
    ...OWN_CHECKS.map((check) => words.t(`diagnostics.names.${check}`)),
    ...networks.map(({ name, label }) => words.network(name, label)),
  ];
  return (
    <ol className="panel" aria-label={words.t('diagnostics.checks.list')} aria-busy="true">
      {names.map((name) => (
        <li key={name} className="check todo">
          <Sign name="busy" tone="busy" />
          <span>{name}</span>
        </li>
      ))}
    </ol>
  );
}
