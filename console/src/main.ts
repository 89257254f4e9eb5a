import { mount } from 'svelte'
import App from './App.svelte'
import './app.css'
import 'uplot/dist/uPlot.min.css'

const target = document.getElementById('app')
if (target) mount(App, { target })
