import { createContext, type ReactNode } from 'react';

/** The banners about the whole app; every view shows them at its top ({@link PageBody}). */
export const BannerContext = createContext<ReactNode>(null);
