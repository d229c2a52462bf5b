import type { ReactNode } from 'react';
import type { Snapshot } from '../../../../src/bridge/index.js';
import { Button } from '../../components/Button.js';
import { IconButton } from '../../components/IconButton.js';
import { NetworkGlyph } from '../../components/NetworkGlyph.js';
import { Section } from '../../components/Section.js';
import { useCopy } from '../../components/use-copy.js';
import { useWords } from '../../words/index.js';

/** Where agents connect: one address for each network. */
export function BaseUrls({ snapshot: { connectors } }: { readonly snapshot: Snapshot }): ReactNode {
  const words = useWords();
  const { t } = words;
  const copy = useCopy();
  if (connectors.length === 0) {
    return (
      <Section title={t('agent.urls.title')}>
        <div className="panel">
          <p className="foot">{t('agent.urls.none')}</p>
        </div>
      </Section>
    );
  }
  const all = connectors.map(({ baseUrl }) => baseUrl).join('\n');
  return (
    <Section
      title={t('agent.urls.title')}
      sub={t('agent.urls.sub')}
      actions={
        <Button small kind="quiet" icon="copy" onClick={() => copy(all, t('agent.urls.copied_all'))}>
          {t('agent.urls.copy_all')}
        </Button>
      }
    >
      <div className="panel">
        <table className="tbl urls">
          <thead className="sr">
            <tr>
              <th scope="col">{t('agent.urls.network')}</th>
              <th scope="col">{t('agent.urls.url')}</th>
              <th scope="col">{t('agent.urls.card')}</th>
              <th scope="col">{t('agent.urls.actions')}</th>
            </tr>
          </thead>
          <tbody>
            {connectors.map(({ name, label, baseUrl, cardId }) => {
              const network = words.network(name, label);
              return (
                <tr key={name}>
                  <td>
                    <span className="cell">
                      <NetworkGlyph network={name} />
                      <span>{network}</span>
                    </span>
                  </td>
                  <td className="mono">{baseUrl}</td>
                  <td className="hide-narrow tx-2 mono">{cardId}</td>
                  <td>
                    <div className="acts">
                      <IconButton
                        icon="copy"
                        label={t('agent.urls.copy', { network })}
                        onClick={() => copy(baseUrl, t('agent.urls.copied'))}
                      />
                    </div>
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </Section>
  );
}
