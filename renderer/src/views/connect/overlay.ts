import type { SignName, Tone } from '../../components/Sign.js';
import type { Values, Words } from '../../words/index.js';
import type { SignIn } from './sign-in-session.js';

/** What lies over a code, or stands in its place. */
export interface Overlay {
  readonly sign: SignName;
  readonly tone: Tone;
  readonly title?: string;
  readonly text: string;
  /** A button that gets a new code. */
  readonly renew?: string;
}

const NETWORK_TROUBLE =
  /^(network_unreachable|unreachable|certificate_refused|proxy_unreachable|proxy_refused|timeout|no_answer|connection_lost|server_error|gateway_error|rate_limited|http_\d+)$/;

/**
 * Undefined while the code is there to be scanned.
 * @param values what the words about a sign-in may name
 */
export function overlayOf(signIn: SignIn, network: string, values: Values, { t, code }: Words): Overlay | undefined {
  switch (signIn.phase) {
    case 'none':
    case 'starting':
    case 'done':
      return { sign: 'busy', tone: 'busy', text: t('qr.getting', { network }) };
    case 'refused':
      return {
        sign: 'danger',
        tone: 'danger',
        title: t('qr.no_code'),
        text: code('refusal', signIn.refusal.code, { detail: signIn.refusal.message }),
        renew: t('action.try_again'),
      };
    case 'ended':
      return ended(signIn.facts, values, { t, code });
    case 'running':
      return running(signIn, network, { t, code });
  }
}

function running(
  { facts, shown }: Extract<SignIn, { phase: 'running' }>,
  network: string,
  { t, code }: Pick<Words, 't' | 'code'>,
): Overlay | undefined {
  if (facts.status === 'qr_refresh_required') {
    if (facts.code === 'qr_renewing') return { sign: 'busy', tone: 'busy', text: t('qr.renewing') };
    return {
      sign: 'wait',
      tone: 'attention',
      title: t('qr.too_old'),
      text: code('signin', facts.code, { network }),
      renew: t('qr.new'),
    };
  }
  if (facts.inputRequired !== undefined && facts.inputRequired.length > 0) {
    return { sign: 'hold', tone: 'busy', title: t('qr.scanned'), text: t('qr.digits') };
  }
  if (facts.status === 'scanned') {
    return { sign: 'ok', tone: 'ok', title: t('qr.scanned'), text: t('qr.scanned.text') };
  }
  return shown === undefined ? { sign: 'busy', tone: 'busy', text: t('qr.getting', { network }) } : undefined;
}

function ended(
  facts: Extract<SignIn, { phase: 'ended' }>['facts'],
  values: Values,
  { t, code }: Pick<Words, 't' | 'code'>,
): Overlay {
  const text = code('signin', facts.code, values);
  if (facts.status === 'expired') {
    return { sign: 'wait', tone: 'attention', title: t('qr.too_old'), text, renew: t('qr.new') };
  }
  if (facts.code === 'access_denied') {
    return { sign: 'attention', tone: 'attention', title: t('qr.refused'), text, renew: t('qr.new') };
  }
  if (NETWORK_TROUBLE.test(facts.code)) {
    return { sign: 'danger', tone: 'danger', title: t('qr.no_code'), text, renew: t('action.try_again') };
  }
  return { sign: 'attention', tone: 'attention', title: t('qr.ended'), text, renew: t('action.try_again') };
}
