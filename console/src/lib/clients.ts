// Words for how NFS clients are.
import type { Client } from '../api/types'

export const clientStates: Record<Client['state'], { look: string; text: string }> = {
  unconfirmed: { look: '', text: 'Before its first session.' },
  reclaiming: { look: 'warn', text: 'After a restart of the daemon, until it has taken back what it had open.' },
  confirmed: { look: 'good', text: 'As usual.' },
  courteous: { look: 'warn', text: 'Its lease ran out, and it keeps what nobody else wants.' },
  leaving: { look: 'bad', text: 'Its state is being taken away.' },
}

export const tlsWords: Record<Client['tls'], string> = { off: 'no', partly: 'partly', on: 'yes', mutual: 'with certificate' }
