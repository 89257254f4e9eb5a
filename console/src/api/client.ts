// Requests to the daemon: adds the token, converts errors, and merges identical requests that run at the same time.
import type { ErrorView } from './types'
import { parse } from '../lib/printable'

const BASE = '/api/v1'
/** The time limit for an answer. Examining all extents of a large pool takes a while. */
const WAIT_MAX_MS = 120_000

/** An error of the API, in its own words. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly remedy: string | null

  constructor(status: number, view: Partial<ErrorView>) {
    super(view.message ?? `the daemon answered with status ${status}`)
    this.status = status
    this.code = view.code ?? 'unknown'
    this.remedy = view.remedy ?? null
  }
}

/** Returns the token to send, and is notified when the daemon refuses it. */
export const credentials: { token: () => string | null; refused: () => void } = {
  token: () => null,
  refused: () => {},
}

async function errorOf(response: Response): Promise<ApiError> {
  try {
    const body = parse(await response.text()) as { error?: Partial<ErrorView> }
    return new ApiError(response.status, body.error ?? {})
  } catch {
    return new ApiError(response.status, {})
  }
}

/** Returns the text of the answer, which is empty if the answer has no content. */
async function exchange(method: string, path: string, body: string | null, token = credentials.token()): Promise<string> {
  const headers: Record<string, string> = { Accept: 'application/json' }
  if (token) headers['Authorization'] = `Bearer ${token}`
  if (body !== null) headers['Content-Type'] = 'application/json'
  let response: Response
  try {
    response = await fetch(BASE + path, { method, headers, body, cache: 'no-store', signal: AbortSignal.timeout(WAIT_MAX_MS) })
  } catch {
    throw new ApiError(0, {
      message: 'the daemon does not answer',
      remedy: 'check that it is running (`systemctl status forebay`), and that this machine can reach it',
    })
  }
  if (!response.ok) {
    const error = await errorOf(response)
    // Does not sign out because of a token that was only being tried.
    if (response.status === 401 && token !== null && token === credentials.token()) credentials.refused()
    throw error
  }
  return response.text()
}

async function send<T>(method: string, path: string, body?: unknown, token = credentials.token()): Promise<T> {
  const text = await exchange(method, path, body === undefined ? null : JSON.stringify(body), token)
  return (text === '' ? undefined : parse(text)) as T
}

const underWay = new Map<string, Promise<unknown>>()

/** Reads from the API. Identical requests that run at the same time share one answer. */
export function get<T>(path: string): Promise<T> {
  const key = `${credentials.token() ?? ''} ${path}`
  const same = underWay.get(key)
  if (same) return same as Promise<T>
  const asked = send<T>('GET', path).finally(() => underWay.delete(key))
  underWay.set(key, asked)
  return asked
}

/** Reads with a token that has not been used to sign in yet. */
export const getWith = <T>(token: string, path: string) => send<T>('GET', path, undefined, token)
export const post = <T>(path: string, body?: unknown) => send<T>('POST', path, body)
export const put = <T>(path: string, body?: unknown) => send<T>('PUT', path, body)
export const patch = <T>(path: string, body: unknown) => send<T>('PATCH', path, body)
export const remove = <T = void>(path: string) => send<T>('DELETE', path)

/** Reads JSON as it is, for documents that the user edits and for keys of objects, which may contain any characters. Escape them before you show them. */
export const getExact = (path: string) => exchange('GET', path, null)
/** Sends a document as the user wrote it, so that the daemon's errors refer to that text. */
export const putExact = (path: string, text: string) => exchange('PUT', path, text)

/** Encodes a name as a part of a path. */
export const part = encodeURIComponent
