import type { ReactNode } from 'react';
import type { SecretsSnapshot, Snapshot } from '../../../../src/bridge/index.js';
import { useShellCommand, useShellFacts } from '../../bridge/index.js';
import { Button } from '../../components/Button.js';
import { Sign, type SignName, type Tone } from '../../components/Sign.js';
import { useRefusalWords } from '../../components/use-refusal-words.js';
import { useToast } from '../../components/toasts.js';
import { useWords, type Words } from '../../words/index.js';

const SIGNS: Readonly<Record<SecretsSnapshot['state'], readonly [SignName, Tone]>> = {
  ready: ['ok', 'ok'],
  locked: ['locked', 'attention'],
  absent: ['none', 'attention'],
  failed: ['danger', 'danger'],
};

/**
 * Where the sign-ins are kept and whether they can be read. What helps while they can't is offered by the banner that every
 * view then shows; here only the way back from the weaker storage.
 */
export function SecretsRow({ snapshot }: { readonly snapshot: Snapshot }): ReactNode {
  const words = useWords();
  const { secrets, connectors } = snapshot;
  const weaker = secrets.kind === 'file' && secrets.state === 'ready';
  const [name, tone]: readonly [SignName, Tone] = weaker ? ['attention', 'attention'] : SIGNS[secrets.state];
  const signIns = connectors.reduce((sum, { accounts }) => sum + accounts.length, 0);
  return (
    <div className="set stack">
      <Sign name={name} tone={tone} />
      <div className="grow">
        <p className="medium">{words.t(`settings.stored.${secrets.kind}.${secrets.state}`)}</p>
        <p className="help">{helpOf(secrets, signIns, words)}</p>
      </div>
      {weaker && <MoveToKeychain />}
    </div>
  );
}

function MoveToKeychain(): ReactNode {
  const { t } = useWords();
  const { kind } = useShellFacts();
  const toast = useToast();
  const refusalWords = useRefusalWords();
  const move = useShellCommand('use-keychain');
  if (kind === 'browser') return null;

  async function run(): Promise<void> {
    const outcome = await move.run({});
    toast({ text: outcome.ok ? t('settings.stored.file.moved') : refusalWords(outcome.refusal) });
  }

  return (
    <Button busy={move.busy} onClick={() => void run()}>
      {t('settings.stored.file.to_keychain')}
    </Button>
  );
}

function helpOf({ kind, state, code }: SecretsSnapshot, signIns: number, { t }: Words): string {
  if (state === 'failed') return t(`settings.stored.${kind}.failed_help`, { code: code ?? state });
  if (kind === 'keychain' && state === 'ready') return t('settings.stored.keychain.ready_help', { n: signIns });
  return kind === 'keychain'
    ? t(`settings.stored.keychain.${state === 'ready' ? 'absent' : state}_help`)
    : t(`settings.stored.file.${state}_help`);
}
