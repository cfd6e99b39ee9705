import { Routes } from '@angular/router';

import { GearListComponent } from './gear-list.component';
import { PlannerComponent } from './planner.component';
import { PlannerStore } from './planner-store.service';

const routes: Routes = [
  {
    path: '',
    providers: [PlannerStore],
    children: [
      { path: '', title: 'Planner · Trailbook', component: PlannerComponent },
      { path: 'gear', title: 'Packing · Trailbook', component: GearListComponent },
    ],
  },
];

export default routes;
