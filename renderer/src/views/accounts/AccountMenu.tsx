import { type ReactNode, useState } from 'react';
import { useCommand } from '../../bridge/index.js';
import { Menu, type MenuItem } from '../../components/Menu.js';
import { useToast } from '../../components/toasts.js';
import { useCopy } from '../../components/use-copy.js';
import { useRefusalWords } from '../../components/use-refusal-words.js';
import type { AccountRow } from '../../shell/accounts-of.js';
import { LOCAL } from '../../shell/accounts-of.js';
import { navigate } from '../../shell/route.js';
import { useWords } from '../../words/index.js';
import { nameOf } from './names.js';
import { SignOutDialog } from './SignOutDialog.js';

type Upstream = 'xagent' | 'agentServer' | null;

/** What can be done with an account at any time. */
export function AccountMenu({ row }: { readonly row: AccountRow }): ReactNode {
  const { t, network } = useWords();
  const toast = useToast();
  const copy = useCopy();
  const refusalWords = useRefusalWords();
  const { run } = useCommand('set-deliver-to');
  const [asking, setAsking] = useState(false);
  const { account, connector } = row;

  const choice = (upstream: Upstream, label: string, said: string): MenuItem => ({
    label,
    chosen: (account.ownDeliverTo ?? null) === upstream,
    onPick: () =>
      void run({ accountId: account.accountId, upstream }).then((outcome) =>
        toast({ text: outcome.ok ? said : refusalWords(outcome.refusal) }),
      ),
  });

  const items: readonly MenuItem[] = [
    { label: t('menu.copy_url'), icon: 'copy', onPick: () => copy(connector.baseUrl, t('menu.url_copied')) },
    'line',
    choice(null, t('menu.deliver_default'), t('menu.delivers_default')),
    choice('xagent', t('menu.deliver_xagent'), t('menu.delivers_xagent')),
    choice('agentServer', t('menu.deliver_agent_server'), t('menu.delivers_agent_server')),
    'line',
    ...(connector.name === LOCAL
      ? []
      : [
          {
            label: t('menu.sign_in'),
            icon: 'refresh',
            onPick: () => navigate('accounts', 'connect', connector.name),
          } as const,
        ]),
    { label: t('menu.sign_out'), icon: 'x', onPick: () => setAsking(true) },
  ];

  const name = network(connector.name, connector.label);
  return (
    <>
      <Menu label={t('menu.more', { network: name, account: nameOf(row) || account.displayName })} items={items} />
      {asking && <SignOutDialog row={row} onClose={() => setAsking(false)} />}
    </>
  );
}
