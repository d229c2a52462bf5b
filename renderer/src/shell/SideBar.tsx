import type { ReactNode } from 'react';
import { needsPerson } from '../../../src/bridge/standing.js';
import { useShellFacts, useSnapshot } from '../bridge/index.js';
import { BrandMark } from '../components/BrandMark.js';
import { Icon, type IconName } from '../components/Icon.js';
import { Sign } from '../components/Sign.js';
import { useWords } from '../words/index.js';
import { accountsOf } from './accounts-of.js';
import { href, VIEW_NAMES, type ViewName } from './route.js';
import { SideFoot } from './SideFoot.js';

const ICONS: Readonly<Record<ViewName, IconName>> = {
  accounts: 'accounts',
  messages: 'messages',
  chat: 'chat',
  agent: 'agent',
  settings: 'settings',
};

/** Where a person goes, and what needs them there. Below the content when the window is narrow. */
export function SideBar({ view }: { readonly view: ViewName }): ReactNode {
  const { t } = useWords();
  return (
    <nav className="side" aria-label={t('nav.label')}>
      <div className="brand">
        <BrandMark />
        <span>{t('app.name')}</span>
      </div>
      <div className="nav">
        {VIEW_NAMES.map((name) => (
          <a key={name} href={href(name)} aria-current={name === view ? 'page' : undefined}>
            <Icon name={ICONS[name]} />
            <span>{t(`nav.${name}`)}</span>
            {name === 'accounts' && <NeedYou />}
            {name === 'messages' && <Waiting />}
          </a>
        ))}
      </div>
      <SideFoot />
    </nav>
  );
}

function NeedYou(): ReactNode {
  const { t } = useWords();
  const { online } = useShellFacts();
  const snapshot = useSnapshot();
  const n = snapshot === undefined ? 0 : accountsOf(snapshot, online).filter((row) => needsPerson(row.standing)).length;
  if (n === 0) return null;
  return (
    <span className="count">
      <Sign name="attention" tone="attention" />
      <span className="sr">{t('nav.need_you', { n })}</span>
    </span>
  );
}

function Waiting(): ReactNode {
  const { t, format } = useWords();
  const n = useSnapshot()
    ?.connectors.flatMap(({ accounts }) => accounts)
    .reduce((sum, { queue }) => sum + queue.pending, 0);
  if (n === undefined || n === 0) return null;
  return (
    <span className="count">
      <span aria-hidden="true">{format.number(n)}</span>
      <span className="sr">{t('nav.waiting', { n })}</span>
    </span>
  );
}
