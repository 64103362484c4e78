import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createApi } from './api/client.js';
import { PatientReads, sleep } from './api/patient-reads.js';
import { App } from './app/App.js';
import { readConfig } from './app/config.js';
import { nowMs } from './app/now.js';
import { chooseNetwork } from './parts/tokens.js';
import './style.css';
import { TEXTS } from './texts.js';

const root = createRoot(document.getElementById('root')!);

readConfig().then(
  (config) => {
    chooseNetwork(config.network);
    const reads = new PatientReads({ fetch: (request) => fetch(request), nowMs, sleep });
    root.render(
      <StrictMode>
        <App console={{ config, reads, api: createApi(config.apiUrl, reads) }} />
      </StrictMode>,
    );
  },
  () => root.render(<p role="alert">{TEXTS.errors.config}</p>),
);
