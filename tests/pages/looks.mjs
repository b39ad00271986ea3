// Every state of every page, at two widths and in two themes: what an accessibility checker finds,
// and whether anything is cut off. One line of JSON. With PORTICO_TEST_PICTURES, a picture of each.

import { mkdirSync, readFileSync } from 'node:fs';

import { Browser } from '../clients/browser.mjs';
import { states } from './states.mjs';
import { watch } from './person.mjs';

const AXE = readFileSync(
  new URL('../clients/node_modules/axe-core/axe.min.js', import.meta.url),
  'utf8',
);
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
const WIDTHS = [
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
];
// All that a theme changes is colours.
const THEMES = [
  { colorScheme: 'light', rules: { type: 'tag', values: RULES } },
  { colorScheme: 'dark', rules: { type: 'rule', values: ['color-contrast'] } },
];
const PICTURES = process.env.PORTICO_TEST_PICTURES;

const world = JSON.parse(process.argv[2]);
const origin = new URL(world.mcp_url).origin;
const { chrome } = await Browser.launch();
const found = {};
if (PICTURES) mkdirSync(PICTURES, { recursive: true });
try {
  for await (const { name, page } of states(chrome, world, (context) => watch(context, origin))) {
    found[name] = [];
    for (const viewport of WIDTHS) {
      await page.setViewportSize(viewport);
      for (const { colorScheme, rules } of THEMES) {
        await page.emulateMedia({ colorScheme });
        const mistakes = await check(page, rules);
        found[name].push(...mistakes.map((it) => `${viewport.width} ${colorScheme}: ${it}`));
        if (PICTURES) {
          const path = `${PICTURES}/${name.replaceAll(/\W+/g, '-')}-${viewport.width}-${colorScheme}.png`;
          await page.screenshot({ path, fullPage: true });
        }
      }
    }
  }
} finally {
  await chrome.close();
}
console.log(JSON.stringify(found));

// Through the debugger, since the page's own policy lets no script in.
async function check(page, rules) {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(AXE);
  return page.evaluate(async (runOnly) => {
    const options = { runOnly, resultTypes: ['violations'] };
    const { violations } = await window.axe.run(document, options);
    const mistakes = violations.flatMap(({ id, nodes }) =>
      nodes.map((node) => `${id} at ${node.target.join(' ')}: ${node.failureSummary}`),
    );
    const { scrollWidth } = document.documentElement;
    if (scrollWidth > window.innerWidth) mistakes.push(`wider than the window: ${scrollWidth}`);
    return mistakes;
  }, rules);
}
