// Titles and filters for the lab's reports.
import type { LabReport, LabRun } from '../api/types'

export type Wanted = 'all' | 'pass' | 'fail' | 'problem'

/** The title of a report. */
export function title(report: LabReport): string {
  if (report.experiment) return report.experiment
  if (report.kind === 'all') return 'All experiments'
  return report.kind === 'comparison' ? 'Comparison' : report.folder || 'Result'
}

/** The runs that a report covers: its own, or those of the reports below its folder. */
export function runsOf(report: LabReport, all: readonly LabReport[]): LabRun[] {
  if (report.kind === 'run') return report.runs
  const below = report.folder === '' ? '' : `${report.folder}/`
  return all.filter((one) => one.kind === 'run' && one.folder.startsWith(below)).flatMap((one) => one.runs)
}

/** Whether a report matches the filter, by its verdict and by its text. */
export function isWanted(report: LabReport, runs: readonly LabRun[], wanted: Wanted, text: string): boolean {
  const verdict = runs.some((run) => run.verdict === 'fail') ? 'fail' : runs.length > 0 ? 'pass' : null
  if (wanted === 'problem' ? report.problem === null : wanted !== 'all' && wanted !== verdict) return false
  const words = [title(report), report.folder, report.problem ?? '', ...report.runs.flatMap((run) => [run.storage, run.profile, run.why])]
  return words.join(' ').toLowerCase().includes(text.toLowerCase())
}

/** The total duration of a report's runs in seconds, or null if it has none. */
export function took(runs: readonly LabRun[]): number | null {
  return runs.length === 0 ? null : runs.reduce((sum, run) => sum + run.duration_ms, 0) / 1000
}
