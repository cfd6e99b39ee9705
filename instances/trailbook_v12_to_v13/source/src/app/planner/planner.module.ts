import { NgModule } from '@angular/core';
import { ReactiveFormsModule } from '@angular/forms';
import { RouterModule, Routes } from '@angular/router';

import { SharedModule } from '../shared/shared.module';
import { GearListComponent } from './gear-list.component';
import { PlannerComponent } from './planner.component';
import { PlannerStore } from './planner-store.service';

const routes: Routes = [
  { path: '', data: { title: 'Planner' }, component: PlannerComponent },
  { path: 'gear', data: { title: 'Packing' }, component: GearListComponent },
];

@NgModule({
  declarations: [PlannerComponent, GearListComponent],
  imports: [ReactiveFormsModule, SharedModule, RouterModule.forChild(routes)],
  providers: [PlannerStore],
})
export class PlannerModule {}
