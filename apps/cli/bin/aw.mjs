#!/usr/bin/env node
// Exists before anything is built, so that an installation can link it.
import '../dist/main.js';
