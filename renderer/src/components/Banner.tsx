import type { ReactNode } from 'react';
import { classNames } from './class-names.js';
import { Sign, type SignName, type Tone } from './Sign.js';

export interface BannerProps {
  readonly tone: 'idle' | 'attention' | 'danger' | 'ok' | 'info';
  readonly sign: SignName;
  readonly title: string;
  readonly children?: ReactNode;
  /** Buttons. */
  readonly actions?: ReactNode;
  /** Interrupts a reader; only for port, disk and store. */
  readonly alert?: boolean;
}

const SIGN_TONES: Readonly<Record<BannerProps['tone'], Tone>> = {
  idle: 'idle',
  attention: 'attention',
  danger: 'danger',
  ok: 'ok',
  info: 'busy',
};

/** Something about the whole app: what happened, and the buttons that help. */
export function Banner({ tone, sign, title, children, actions, alert = false }: BannerProps): ReactNode {
  return (
    <div className={classNames('banner', tone !== 'idle' && tone)} role={alert ? 'alert' : undefined}>
      <Sign name={sign} tone={SIGN_TONES[tone]} />
      <div className="grow">
        <b>{title}</b>
        {children}
      </div>
      {actions !== undefined && <div className="acts">{actions}</div>}
    </div>
  );
}
