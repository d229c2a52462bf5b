import { type ReactNode, useMemo } from 'react';
import { drawQr } from './draw-qr.js';

interface QrCodeProps {
  readonly text: string;
  readonly label: string;
}

/** A code to scan: always dark on white, with four modules of quiet around it. */
export function QrCode({ text, label }: QrCodeProps): ReactNode {
  const { size, path } = useMemo(() => drawQr(text), [text]);
  return (
    <svg className="code" viewBox={`0 0 ${size} ${size}`} shapeRendering="crispEdges" role="img" aria-label={label}>
      <path fill="currentColor" d={path} />
    </svg>
  );
}
