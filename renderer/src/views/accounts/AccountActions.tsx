import type { ReactNode } from 'react';
import { useCommand } from '../../bridge/index.js';
import { Button } from '../../components/Button.js';
import { ButtonLink } from '../../components/ButtonLink.js';
import { useTellRefusal } from '../../components/use-tell-refusal.js';
import type { AccountRow } from '../../shell/accounts-of.js';
import { href } from '../../shell/route.js';
import { useWords } from '../../words/index.js';

interface AccountActionsProps {
  readonly row: AccountRow;
  /** How to solve it by hand, where there is a way. */
  readonly fix: { readonly id: string; readonly shown: boolean; readonly toggle: () => void } | undefined;
}

/** The next step of an account's state; none where everything goes on by itself. */
export function AccountActions({ row, fix }: AccountActionsProps): ReactNode {
  const { t } = useWords();
  const { standing, connector } = row;
  const canCheck = standing.kind === 'needs_you' || standing.kind === 'refused';
  return (
    <div className="do">
      {standing.kind === 'retrying' && <Reconnect row={row} label={t('action.try_now')} />}
      {canCheck && standing.signIn && (
        <ButtonLink small href={href('accounts', 'connect', connector.name)}>
          {connector.authFlows[0]?.type === 'qr_login' ? t('do.scan') : t('do.sign_in')}
        </ButtonLink>
      )}
      {canCheck && !standing.signIn && <Reconnect row={row} label={t('do.check')} />}
      {fix !== undefined && (
        <Button small aria-expanded={fix.shown} aria-controls={fix.shown ? fix.id : undefined} onClick={fix.toggle}>
          {fix.shown ? t('do.fix_hide') : t('do.fix')}
        </Button>
      )}
    </div>
  );
}

function Reconnect({ row, label }: { readonly row: AccountRow; readonly label: string }): ReactNode {
  const tellRefusal = useTellRefusal();
  const { run, busy } = useCommand('reconnect');
  return (
    <Button small busy={busy} onClick={() => void run({ accountId: row.account.accountId }).then(tellRefusal)}>
      {label}
    </Button>
  );
}
