// What the host's environment says.
const text = JSON.stringify(process.env);
if (/TOKEN_OF_HOST/.test(text)) console.log('escaped: environment');
try { if (require('fs').readFileSync('/proc/1/environ', 'utf8').includes('TOKEN_OF_HOST')) console.log('escaped: environment of 1'); } catch {}
