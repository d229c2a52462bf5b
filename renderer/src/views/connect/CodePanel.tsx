import type { ReactNode } from 'react';
import type { ConnectorSnapshot } from '../../../../src/bridge/index.js';
import { useWallNow } from '../../bridge/index.js';
import { Say } from '../../components/Say.js';
import { useWords } from '../../words/index.js';
import { botIn } from './bot-in.js';
import { CodeTimer } from './CodeTimer.js';
import { LinkBeside } from './LinkBeside.js';
import { overlayOf } from './overlay.js';
import { QrFrame } from './QrFrame.js';
import type { SignIn } from './sign-in-session.js';
import { signInValues } from './sign-in-values.js';
import { Steps } from './Steps.js';
import { TakenOverNote } from './TakenOverNote.js';
import { VerifyCode } from './VerifyCode.js';

interface CodePanelProps {
  readonly connector: ConnectorSnapshot;
  readonly signIn: SignIn;
  readonly keptIn: 'keychain' | 'file';
  readonly onRenew: () => void;
  /** @throws CommandRefused */
  readonly onCode: (code: Readonly<Record<string, string>>) => Promise<void>;
}

/** A code to scan, how long it lives, what to do on the phone, and the way without scanning. */
export function CodePanel({ connector, signIn, keptIn, onRenew, onCode }: CodePanelProps): ReactNode {
  const words = useWords();
  const { t } = words;
  const now = useWallNow();
  const network = words.network(connector.name, connector.label);
  const running = signIn.phase === 'running' ? signIn : undefined;
  const shown = running?.shown ?? (signIn.phase === 'ended' ? signIn.shown : undefined);
  const [asked] = running?.facts.inputRequired ?? [];
  const scanned = running?.facts.status === 'scanned' || asked !== undefined;
  const bot = botIn(shown?.text);
  const canScan = running?.facts.status === 'pending' && shown !== undefined && asked === undefined;

  return (
    <section className="connect" aria-label={t('connect.to', { network })}>
      <div>
        <QrFrame
          text={shown?.text}
          label={t('qr.label', { network })}
          overlay={overlayOf(signIn, network, signInValues(connector, network), words)}
          onRenew={onRenew}
        />
        {running !== undefined && shown !== undefined && running.facts.status !== 'qr_refresh_required' && (
          <CodeTimer shown={shown} asked={asked !== undefined} scanned={scanned} now={now} link={bot !== undefined} />
        )}
      </div>
      <div className="right">
        {canScan && bot !== undefined && (
          <Say sign="ok" tone="ok">
            {t('form.bot', { bot })}
          </Say>
        )}
        {asked === undefined ? (
          <Steps connector={connector} text={shown?.text} scanned={scanned} />
        ) : (
          <VerifyCode
            key={running?.facts.code}
            field={asked}
            network={network}
            wrong={running?.facts.code === 'verify_code_wrong'}
            onCode={onCode}
          />
        )}
        {running?.facts.code === 'telegram_taken_over' && <TakenOverNote />}
        {canScan && (
          <>
            <hr className="rule" />
            <LinkBeside text={shown.text} network={network} />
          </>
        )}
        <p className="small tx-2">{keptIn === 'file' ? t('connect.kept.file') : t('connect.kept.keychain')}</p>
      </div>
    </section>
  );
}
