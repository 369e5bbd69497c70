/* Requests to the service that this page comes from. */
export class Refused extends Error {
  constructor(status, message, faults) {
    super(message);
    this.status = status;
    this.faults = faults && faults.length ? faults : [{path: '', line: 0, message}];
  }
}

const call = async (method, path, body) => {
  const options = {method, headers: {}};
  if (body !== undefined) {
    options.body = JSON.stringify(body);
    options.headers['Content-Type'] = 'application/json';
  }
  let response;
  try {
    response = await fetch('/api/v1' + path, options);
  } catch (error) {
    throw new Refused(0, 'the service does not answer');
  }
  if (!response.ok) {
    const told = await response.json().catch(() => ({message: 'the service answers ' + response.status}));
    throw new Refused(response.status, told.message, told.faults);
  }
  if (response.status === 204) return null;
  return (response.headers.get('Content-Type') || '').startsWith('application/json') ? response.json() : response.text();
};

const kept = new Map();

export const api = {
  get: (path) => call('GET', path),
  post: (path, body = {}) => call('POST', path, body),
  remove: (path) => call('DELETE', path),
  /* An answer that stays the same while the page lives. */
  once: (path) => {
    if (!kept.has(path)) kept.set(path, call('GET', path).catch((error) => { kept.delete(path); throw error; }));
    return kept.get(path);
  },
};
