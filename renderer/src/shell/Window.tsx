import { type ReactNode } from 'react';
import { LiveRegion } from '../components/LiveRegion.js';
import { Toasts } from '../components/Toasts.js';
import { VIEWS } from '../views/registry.js';
import { BannerContext } from '../components/banner-context.js';
import { AccountNews } from './AccountNews.js';
import { Banners } from './Banners.js';
import { parseRoute, useHash } from './route.js';
import { SideBar } from './SideBar.js';
import { useFocusHeading } from './use-focus-heading.js';
import { useKeys } from './use-keys.js';

/** The frame around every view. */
export function Window(): ReactNode {
  const hash = useHash();
  const { view, path } = parseRoute(hash);
  useKeys();
  useFocusHeading(hash);
  const View = VIEWS[view];
  return (
    <LiveRegion>
      <Toasts>
        <BannerContext value={<Banners view={view} />}>
          <div className="win">
            <SideBar view={view} />
            <main className="main">
              <View path={path} />
            </main>
          </div>
        </BannerContext>
        <AccountNews />
      </Toasts>
    </LiveRegion>
  );
}
