import jsQR from 'jsqr';
import { describe, expect, it } from 'vitest';
import { decodePng } from '../../support/decode-png.js';
import type { Journey } from '../support/journeys.js';
import { PERSON } from '../support/world.js';

/** The digits that the person's phone shows. */
const DIGITS = '4711';

/** A person connects WeChat with their phone, and no agent is anywhere near. */
export const wechatByCode: Journey = (world) => {
  describe('WeChat by its code', () => {
    it('is offered under Accounts, and its code is the one that the network gave', async () => {
      const { page, wechat } = world();
      await world().goTo('Accounts');
      await page.getByRole('link', { name: /^WeChat/ }).click();
      await page.getByRole('heading', { level: 1, name: 'Connect WeChat' }).waitFor();
      const code = page.getByRole('img', { name: /^QR code for WeChat/ });
      await code.waitFor();
      const { data, width, height } = decodePng(await code.screenshot());
      expect(jsQR(data, width, height)?.data).toBe(wechat.logins.qr.text);
      const link = page.getByRole('textbox', { name: 'Link with the same content' });
      expect(await link.inputValue()).toBe(wechat.logins.qr.text);
    });

    it('says that it was scanned, and what to tap', async () => {
      world().wechat.logins.scan();
      await world().reads('Now tap Confirm on your phone.');
    });

    it('asks for the digits of the phone, says when they are wrong, and goes on with the right ones', async () => {
      const { page, wechat } = world();
      wechat.logins.demandCode(DIGITS);
      const field = page.getByLabel('Digits on your phone');
      await field.fill('1234');
      await world().button('Continue').click();
      await world().reads(/^WeChat didn’t accept these digits/);
      await field.fill(DIGITS);
      await world().button('Continue').click();
      await world().reads('Now tap Confirm on your phone.');
    });

    it('is done once the person confirms, and receives', async () => {
      const { page, wechat } = world();
      wechat.logins.confirm(PERSON);
      await page.getByRole('heading', { name: 'WeChat is connected' }).waitFor();
      await page.getByRole('link', { name: 'Done' }).click();
      await world().reads('Receiving.', world().card('WeChat'));
      await world().factIs('WeChat', 'Last round trip', / ago/);
      await world().factIs('WeChat', 'Agent', /^Not connected$/);
    });
  });
};
