import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { classNames } from './class-names.js';
import { Icon, type IconName } from './Icon.js';
import { IconButton } from './IconButton.js';
import { keyTarget } from './key-target.js';

export type MenuItem =
  | 'line'
  | {
      readonly label: string;
      readonly icon?: IconName;
      /** One of a few choices, and whether it is the one. */
      readonly chosen?: boolean;
      readonly onPick: () => void;
    };

interface MenuProps {
  readonly label: string;
  readonly items: readonly MenuItem[];
}

/** A button with dots and what it offers. Arrow keys, Home and End move; Esc and Tab close it. */
export function Menu({ label, items }: MenuProps): ReactNode {
  const [open, setOpen] = useState<'down' | 'up'>();
  const root = useRef<HTMLDivElement>(null);
  const id = useId();
  const isOpen = open !== undefined;

  useEffect(() => {
    if (!isOpen) return undefined;
    root.current?.querySelector<HTMLElement>('[role^=menuitem]')?.focus();
    const outside = (event: PointerEvent): void => {
      if (event.target instanceof Node && root.current?.contains(event.target) !== true) setOpen(undefined);
    };
    document.addEventListener('pointerdown', outside);
    return () => document.removeEventListener('pointerdown', outside);
  }, [isOpen]);

  function close(): void {
    setOpen(undefined);
    root.current?.querySelector('button')?.focus();
  }

  function toggle(): void {
    if (isOpen) {
      close();
      return;
    }
    const below = window.innerHeight - (root.current?.getBoundingClientRect().bottom ?? 0);
    setOpen(below < 44 + items.length * 32 ? 'up' : 'down');
  }

  function onKey(event: KeyboardEvent): void {
    if (!isOpen) return;
    const entries = [...(root.current?.querySelectorAll<HTMLElement>('[role^=menuitem]') ?? [])];
    const at = entries.findIndex((entry) => entry === document.activeElement);
    const target = keyTarget(event.key, { back: 'ArrowUp', forward: 'ArrowDown' }, at, entries.length);
    if (target !== undefined) entries[target]?.focus();
    else if (event.key === 'Escape') close();
    else if (event.key === 'Tab') setOpen(undefined);
    if (target !== undefined || event.key === 'Escape') {
      event.preventDefault();
      event.stopPropagation();
    }
  }

  return (
    <div className="menu-holder" ref={root} onKeyDown={onKey}>
      <IconButton
        icon="more"
        label={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={toggle}
      />
      {isOpen && (
        <ul id={id} className={classNames('menu', open)} role="menu" aria-label={label}>
          {items.map((item, index) =>
            item === 'line' ? (
              <li key={index} className="sepa" role="separator" />
            ) : (
              <li key={index} role="none">
                <button
                  type="button"
                  role={item.chosen === undefined ? 'menuitem' : 'menuitemradio'}
                  aria-checked={item.chosen}
                  tabIndex={-1}
                  onClick={() => {
                    close();
                    item.onPick();
                  }}
                >
                  <span className="mark">
                    {item.chosen === true ? <Icon name="check" /> : item.icon && <Icon name={item.icon} />}
                  </span>
                  <span>{item.label}</span>
                </button>
              </li>
            ),
          )}
        </ul>
      )}
    </div>
  );
}
