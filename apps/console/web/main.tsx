import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createApi } from './api/client.js';
import { App } from './app/App.js';
import { readConfig } from './app/config.js';
import { chooseNetwork } from './parts/tokens.js';
import './style.css';
import { TEXTS } from './texts.js';

const root = createRoot(document.getElementById('root')!);

readConfig().then(
  (config) => {
    chooseNetwork(config.network);
    root.render(
      <StrictMode>
        <App console={{ config, api: createApi(config.apiUrl) }} />
      </StrictMode>,
    );
  },
  () => root.render(<p role="alert">{TEXTS.errors.config}</p>),
);
