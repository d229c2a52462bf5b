import { type ReactNode, useEffect, useRef } from 'react';
import type { ConnectorSnapshot } from '../../../../src/bridge/index.js';
import { useWallNow } from '../../bridge/index.js';
import { useAnnounce } from '../../components/announcing.js';
import { useWords } from '../../words/index.js';
import type { SignIn } from './sign-in-session.js';
import { signInValues } from './sign-in-values.js';

/** From here on a code is nearly over; milliseconds. */
export const SOON_MS = 20_000;

interface SignInNewsProps {
  readonly signIn: SignIn;
  readonly connector: ConnectorSnapshot;
}

/** Tells those who listen how a sign-in goes: shown, 20 s left, renewed, scanned, needs digits, done, failed. */
export function SignInNews({ signIn, connector }: SignInNewsProps): ReactNode {
  const { t, code, format, network: nameOf } = useWords();
  const announce = useAnnounce();
  const now = useWallNow();
  const told = useRef('');
  const network = nameOf(connector.name, connector.label);
  const [key, sentence] = news();

  function news(): readonly [key: string, sentence: string] {
    switch (signIn.phase) {
      case 'done':
        return ['done', t('connect.done.title', { network })];
      case 'ended':
        return [`ended ${signIn.facts.code}`, code('signin', signIn.facts.code, signInValues(connector, network))];
      case 'refused':
        return [
          `refused ${signIn.refusal.code}`,
          code('refusal', signIn.refusal.code, { detail: signIn.refusal.message }),
        ];
      case 'running':
        return runningNews(signIn);
      case 'none':
      case 'starting':
        return ['', ''];
    }
  }

  function runningNews({ facts, shown }: Extract<SignIn, { phase: 'running' }>): readonly [string, string] {
    if (facts.inputRequired !== undefined && facts.inputRequired.length > 0) {
      return facts.code === 'verify_code_wrong'
        ? [`wrong ${String(shown?.turn)}`, code('signin', facts.code, { network })]
        : ['digits', t('news.digits')];
    }
    if (facts.status === 'scanned') return ['scanned', t('news.scanned')];
    if (facts.status === 'qr_refresh_required') return [facts.code, code('signin', facts.code, { network })];
    if (shown === undefined) return ['', ''];
    const left = shown.expiresAt - now;
    if (left <= SOON_MS) return [`soon ${shown.turn}`, t('news.soon', { t: format.spoken(left) })];
    const values = { t: format.spoken(left) };
    return [`shown ${shown.turn}`, shown.turn > 1 ? t('news.renewed', values) : t('news.shown', values)];
  }

  useEffect(() => {
    if (key === told.current) return;
    told.current = key;
    if (sentence !== '') announce(sentence);
  }, [key, sentence, announce]);

  return null;
}
