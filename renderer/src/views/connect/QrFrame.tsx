import type { ReactNode } from 'react';
import { Button } from '../../components/Button.js';
import { classNames } from '../../components/class-names.js';
import { Sign } from '../../components/Sign.js';
import type { Overlay } from './overlay.js';
import { QrCode } from './QrCode.js';

interface QrFrameProps {
  readonly text: string | undefined;
  readonly label: string;
  readonly overlay: Overlay | undefined;
  readonly onRenew: () => void;
}

/** The white paper with the code, and what lies over it once it can't be scanned. */
export function QrFrame({ text, label, overlay, onRenew }: QrFrameProps): ReactNode {
  return (
    <div className={classNames('qr', overlay && 'dead', text === undefined && 'blank')}>
      {text !== undefined && <QrCode text={text} label={label} />}
      {overlay !== undefined && (
        <div className="over">
          <Sign name={overlay.sign} tone={overlay.tone} />
          {overlay.title !== undefined && <p className="strong">{overlay.title}</p>}
          <p>{overlay.text}</p>
          {overlay.renew !== undefined && (
            <Button icon="refresh" onClick={onRenew}>
              {overlay.renew}
            </Button>
          )}
        </div>
      )}
    </div>
  );
}
