import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LabReport, LabRun } from '../../src/api/types'
import { isWanted, runsOf, title, took } from '../../src/lib/lab'
import { mountCommand } from '../../src/lib/mount'

const run = (storage: string, verdict: 'pass' | 'fail'): LabRun =>
  ({ storage, verdict, profile: 'laptop', why: 'So.', started: '2026-11-22T20:00:00Z', duration_ms: 1500, checks: 1, checks_passed: 1, versions: {} })
const report = (kind: LabReport['kind'], folder: string, runs: LabRun[], problem: string | null = null): LabReport =>
  ({ id: folder, kind, folder, experiment: kind === 'run' && !problem ? 'mount' : null, time: '2026-11-22T20:00:00Z', runs, page_bytes: 1, problem })

test('a page over several reports is about the runs below its folder', () => {
  const all = [report('all', 'all-1', []), report('run', 'all-1/mount', [run('forebay', 'pass'), run('local', 'fail')]), report('run', 'all-10', [run('local', 'pass')])]
  assert.deepEqual(runsOf(all[0]!, all).map((one) => one.storage), ['forebay', 'local'])
  assert.equal(runsOf(report('comparison', '', []), all).length, 3)
  assert.equal(took(runsOf(all[0]!, all)), 3)
  assert.equal(took([]), null)
})

test('reports are found by verdict and by words', () => {
  const failed = report('run', 'x', [run('forebay', 'pass'), run('knfsd-v3', 'fail')])
  const damaged = report('run', 'broken', [], 'result.json: cut off')
  assert.equal(isWanted(failed, failed.runs, 'fail', 'KNFSD'), true)
  assert.equal(isWanted(failed, failed.runs, 'pass', ''), false)
  assert.equal(isWanted(damaged, [], 'problem', 'cut off'), true)
  for (const wanted of ['pass', 'fail'] as const) assert.equal(isWanted(damaged, [], wanted, ''), false)
  assert.deepEqual([title(failed), title(damaged), title(report('all', '', []))], ['mount', 'broken', 'All experiments'])
})

test('a volume is mounted from where others reach the server', () => {
  const nfs = { address: '0.0.0.0', port: 20490, every_address: true, host: 'storage-1', options: 'vers=4.2,port=20490', tls: false }
  assert.equal(mountCommand(nfs, '/kafka', 'storage.example.org'), 'mount -t nfs -o vers=4.2,port=20490 storage.example.org:/kafka /mnt')
  for (const here of ['localhost', '127.0.0.1', '[::1]', '']) assert.match(mountCommand(nfs, '/kafka', here), / storage-1:\/kafka /)
  assert.match(mountCommand({ ...nfs, every_address: false, host: '[2001:db8::1]' }, '/kafka', 'storage'), / \[2001:db8::1\]:\/kafka /)
  assert.match(mountCommand(nfs, "/it's; rm", 'storage'), / 'storage:\/it'\\''s; rm' \/mnt$/)
})
