import type { Build } from '../protocol/index.js';

/** Put in place by scripts/build.mjs; a run from source has none. */
declare const BUILD_FACTS: Build | undefined;

const FROM_SOURCE: Build = { version: '0.0.0-source', git_tag: 'none', git_rev: 'none', build_time: '0001010000' };

/** Which build this is; equal in card, health, status and `--version`. */
export const buildFacts: Build = typeof BUILD_FACTS === 'undefined' ? FROM_SOURCE : BUILD_FACTS;
