// Loaded before the application; the CLI adds what older browsers lack.
import 'zone.js';
