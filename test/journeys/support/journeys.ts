import { afterAll, afterEach, beforeAll, beforeEach, describe, expect } from 'vitest';
import { holdsOf } from '../../support/page-holds.js';
import type { OpenProduct, Product } from './product.js';
import { World } from './world.js';

/** A part of a person's day: registers its tests, which find the world as the part before it left it. */
export type Journey<P extends Product = Product> = (world: () => World<P>) => void;

/** One person's day with the product, journey after journey in one run of it, over one driver. */
export function journeys<P extends Product>(name: string, open: OpenProduct<P>, parts: readonly Journey<P>[]): void {
  describe(name, () => {
    let world: World<P>;

    beforeAll(async () => {
      world = await World.start(open);
    });
    afterAll(() => world.end());
    // Each part stands on the ones before it: after a failure the rest would only wait for what can't come.
    let failed = false;
    beforeEach(({ skip }) => skip(failed, 'an earlier part failed'));
    afterEach(async ({ task }) => {
      failed ||= task.result?.state === 'fail';
      await staysSecret(world);
      expect(world.product.complaints).toEqual([]);
    });

    for (const part of parts) part(() => world);
  });
}

/** No secret is in the page, be it in a field or in what it keeps, nor in anything that the program told it. */
async function staysSecret(world: World): Promise<void> {
  const said = await world.product.said();
  expect(said.length).toBeGreaterThan(0);
  const all = `${await holdsOf(world.page)}\n${said.join('\n')}`;
  expect(world.secrets.filter((secret) => all.includes(secret))).toEqual([]);
}
