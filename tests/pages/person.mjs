// A person at a page: fills in what a page asks, and watches what the browser complains of.

export async function signIn(page, { email, password }) {
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

export async function signInWhereAsked(page, person) {
  if ((await page.getByRole('button', { name: 'Sign in' }).count()) > 0) await signIn(page, person);
}

export function press(page, name) {
  return page.getByRole('button', { name }).click({ noWaitAfter: true });
}

export function heading(page) {
  return page.getByRole('heading', { level: 1 }).innerText();
}

// Everything that a page asked of another origin than its own, or that the browser refused it.
export function watch(context, origin) {
  const seen = [];
  context.on('request', (request) => {
    if (request.isNavigationRequest() || !request.frame().url().startsWith(origin)) return;
    if (!request.url().startsWith(origin) && !request.url().startsWith('data:')) {
      seen.push(`asks for ${request.url()}`);
    }
  });
  context.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) {
      seen.push(`complains: ${message.text()}`);
    }
  });
  return seen;
}
