import { type ReactNode, use } from 'react';
import { BannerContext } from './banner-context.js';

/** Where a view shows the banners about the whole app. */
export function BannerPlace(): ReactNode {
  return use(BannerContext);
}
