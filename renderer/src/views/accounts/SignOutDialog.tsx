import type { ReactNode } from 'react';
import { useCommand } from '../../bridge/index.js';
import { ConfirmDialog } from '../../components/ConfirmDialog.js';
import { useToast } from '../../components/toasts.js';
import { Refusal } from '../../components/Refusal.js';
import type { AccountRow } from '../../shell/accounts-of.js';
import { useWords } from '../../words/index.js';

interface SignOutDialogProps {
  readonly row: AccountRow;
  readonly onClose: () => void;
}

/** Asks before an account is signed out everywhere. */
export function SignOutDialog({ row: { account, connector }, onClose }: SignOutDialogProps): ReactNode {
  const words = useWords();
  const { t } = words;
  const toast = useToast();
  const { run, busy, refusal } = useCommand('sign-out');
  const network = words.network(connector.name, connector.label);
  const scans = connector.authFlows[0]?.type === 'qr_login';

  async function signOut(): Promise<void> {
    if (!(await run({ accountId: account.accountId })).ok) return;
    toast({ text: t('sign_out.done', { network }) });
    onClose();
  }

  return (
    <ConfirmDialog
      title={t('sign_out.title', { network })}
      text={scans ? t('sign_out.scan') : t('sign_out.form')}
      keep={t('sign_out.keep')}
      confirm={t('sign_out.confirm')}
      busy={busy}
      onKeep={onClose}
      onConfirm={() => void signOut()}
    >
      <Refusal of={refusal} />
    </ConfirmDialog>
  );
}
