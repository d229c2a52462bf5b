import type { ReactNode } from 'react';
import type { ConnectorSnapshot } from '../../../../src/bridge/index.js';
import { ButtonLink } from '../../components/ButtonLink.js';
import { href } from '../../shell/route.js';
import { useWords, type Words } from '../../words/index.js';

/** How the networks are reached: one sentence where it is the same for all, else one for each. */
export function ProxyRow({ connectors }: { readonly connectors: readonly ConnectorSnapshot[] }): ReactNode {
  const words = useWords();
  const { t } = words;
  return (
    <div className="set">
      <div className="grow">
        <p>{t('settings.server.proxy')}</p>
        {sentencesOf(connectors, words).map((sentence) => (
          <p key={sentence} className="help">
            {sentence}
          </p>
        ))}
      </div>
      <ButtonLink small href={href('settings', 'diagnostics')}>
        {t('settings.server.proxy_test')}
      </ButtonLink>
    </div>
  );
}

function sentencesOf(connectors: readonly ConnectorSnapshot[], { t, network: nameOf }: Words): readonly string[] {
  const known = connectors.flatMap(({ name, label, way }) => (way ? [{ network: nameOf(name, label), way }] : []));
  const [first] = known;
  if (first === undefined) return [t('settings.server.proxy_unknown')];
  if (known.every(({ way }) => way.proxy === undefined)) return [t('settings.server.proxy_none')];
  const isSame = known.every(
    ({ way }) => way.proxy?.address === first.way.proxy?.address && way.source === first.way.source,
  );
  return (isSame ? [first] : known).map(({ network, way: { source, proxy } }) => {
    if (proxy === undefined) return t('settings.server.proxy_none_of', { network });
    const values = { network, proxy: proxy.address };
    return isSame ? t(`settings.server.proxy_${source}`, values) : t(`settings.server.proxy_${source}_of`, values);
  });
}
