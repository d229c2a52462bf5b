import type { ReactNode } from 'react';

interface TrayPictureProps {
  /** The desktop's bar is at the bottom, as on Windows. */
  readonly atBottom: boolean;
  readonly label: string;
}

/** A screen's bar with our icon among others, and its menu: where to look, not how it looks on this computer. */
export function TrayPicture({ atBottom, label }: TrayPictureProps): ReactNode {
  return (
    <figure className="traypic">
      <svg viewBox="0 0 576 150" role="img" aria-label={label}>
        <rect className="desk" width="576" height="150" />
        {atBottom ? <BottomBar /> : <TopBar />}
        <TrayMenu y={atBottom ? 8 : 38} />
      </svg>
    </figure>
  );
}

function TopBar(): ReactNode {
  return (
    <>
      <rect className="desk-bar" width="576" height="30" />
      <g className="desk-other">
        <rect x="16" y="11" width="52" height="8" rx="4" />
        <rect x="262" y="11" width="52" height="8" rx="4" />
        <circle cx="520" cy="15" r="6" />
        <circle cx="544" cy="15" r="6" />
        <circle cx="472" cy="15" r="6" />
      </g>
      <circle className="desk-ring" cx="496" cy="15" r="13" />
      <TrayIcon x={488} y={7} />
    </>
  );
}

function BottomBar(): ReactNode {
  return (
    <>
      <rect className="desk-bar" y="114" width="576" height="36" />
      <g className="desk-other">
        <rect x="252" y="124" width="16" height="16" rx="4" />
        <rect x="280" y="124" width="16" height="16" rx="4" />
        <rect x="308" y="124" width="16" height="16" rx="4" />
        <rect x="510" y="124" width="50" height="6" rx="3" />
        <rect x="522" y="134" width="38" height="6" rx="3" />
        <circle cx="488" cy="132" r="6" />
      </g>
      <path className="desk-arrow" d="M432 134l5-5 5 5" />
      <circle className="desk-ring" cx="464" cy="132" r="13" />
      <TrayIcon x={456} y={124} />
    </>
  );
}

/** The mark with its ball seated: everything is well. */
function TrayIcon({ x, y }: { readonly x: number; readonly y: number }): ReactNode {
  return (
    <g transform={`translate(${x} ${y})`}>
      <path className="desk-mark" d="M10 2.55A6 6 0 1 0 10 13.45M7.5 8H15" />
      <circle className="desk-ok" cx="7.5" cy="8" r="2.75" />
    </g>
  );
}

function TrayMenu({ y }: { readonly y: number }): ReactNode {
  return (
    <g transform={`translate(346 ${y})`}>
      <rect className="desk-menu" width="214" height="100" rx="8" />
      <circle className="desk-well" cx="18" cy="20" r="5" />
      <path className="desk-needs" d="M18 36l5.5 9.500h-11z" />
      <g className="desk-words">
        <rect x="34" y="16" width="66" height="8" rx="4" />
        <rect x="34" y="38" width="84" height="8" rx="4" />
        <rect x="34" y="70" width="92" height="8" rx="4" />
        <rect x="34" y="86" width="48" height="8" rx="4" />
      </g>
      <g className="desk-other">
        <rect x="142" y="16" width="56" height="8" rx="4" />
        <rect x="158" y="38" width="40" height="8" rx="4" />
      </g>
      <path className="desk-line" d="M12 58h190" />
    </g>
  );
}
